package io.feedbridge.gateway.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads how the gateway is to guard itself, with every problem noted on the way. */
final class ProtectionReader {

  private static final int MOST_CONNECTIONS = 100_000;

  private static final Pattern COUNT = Pattern.compile("[0-9]{1,6}");

  private final Problems problems;

  ProtectionReader(Problems problems) {
    this.problems = problems;
  }

  Settings.Protection read(SettingsReader.RawProtection raw) {
    return new Settings.Protection(
        path("--key-file", raw.keyFile()),
        tls(raw),
        connections("--connections-per-address", raw.connectionsPerAddress()));
  }

  private Optional<Settings.Tls> tls(SettingsReader.RawProtection raw) {
    if (raw.tlsCert().isEmpty() != raw.tlsKey().isEmpty()) {
      String given = raw.tlsCert().isEmpty() ? "--tls-key" : "--tls-cert";
      String missing = raw.tlsCert().isEmpty() ? "--tls-cert" : "--tls-key";
      problems.add(given, "needs " + missing + " too");
      return Optional.empty();
    }
    Optional<Path> key = path("--tls-key", raw.tlsKey());
    return path("--tls-cert", raw.tlsCert())
        .flatMap(certificate -> key.map(file -> new Settings.Tls(certificate, file)));
  }

  private Optional<Path> path(String option, String text) {
    try {
      return Optional.of(text).filter(it -> !it.isBlank()).map(Path::of);
    } catch (InvalidPathException e) {
      problems.add(option, "'%s' is no path: %s".formatted(text, e.getReason()));
      return Optional.empty();
    }
  }

  private int connections(String option, String text) {
    int count = COUNT.matcher(text).matches() ? Integer.parseInt(text) : 0;
    if (count < 1 || count > MOST_CONNECTIONS) {
      problems.add(option, "'%s' is not a number from 1 to %d".formatted(text, MOST_CONNECTIONS));
    }
    return count;
  }
}
