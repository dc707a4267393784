package io.feedbridge.gateway.config;

import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.client.AddressPolicy;
import io.feedbridge.gateway.store.Format;
import io.feedbridge.websub.LeasePolicy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** From what an operator wrote to {@link Settings}, with every problem noted on the way. */
public final class SettingsReader {

  private static final Duration SHORTEST_POLL = Duration.ofSeconds(1);
  private static final Duration LONGEST_POLL = Duration.ofDays(365);
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  /** Longer than a subscriber may be behind (rule L13), by the time it takes to notice that. */
  private static final Duration SHORTEST_RETENTION = Duration.ofHours(73);

  private static final int MAX_PORT = 65_535;

  /** What {@link URI#getPort} has where there is none. */
  private static final int NO_PORT = -1;

  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

  private static final int MAX_SECRET = 1_024;

  private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

  private static final Pattern SEPARATOR = Pattern.compile("[,\\s]+");

  private final Problems problems;

  /** Notes problems there. */
  public SettingsReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * The raw options, as text.
   *
   * @param publicUrl empty to derive it from {@code listen}
   * @param adminToken empty for none
   */
  public record Raw(
      String listen,
      String publicUrl,
      String data,
      String allowFetch,
      String allowCallback,
      String hubFormat,
      String leaseDefault,
      String leaseMin,
      String leaseMax,
      String pollMin,
      String pollMax,
      String backupPoll,
      String hostPause,
      String pingQuiet,
      String pingRecheck,
      String retention,
      String adminToken,
      String trustProxy,
      String testFeedPeriod,
      boolean publicLog,
      boolean publicStream,
      String bridge,
      RawProtection protection,
      RawGuarding guarding) {

    /** Without the values, one of which is a secret. */
    @Override
    public String toString() {
      return "Raw options";
    }
  }

  /**
   * The raw options of {@link Settings.Protection}, as text, empty for none.
   *
   * @param adminTokenFile the file that has the admin token
   */
  public record RawProtection(
      String adminTokenFile,
      String keyFile,
      String tlsCert,
      String tlsKey,
      String connectionsPerAddress) {}

  /**
   * The raw options of what strangers may have the gateway do, as text; empty for the defaults.
   *
   * @param topics patterns
   * @param callbacks patterns
   * @param exempt networks
   */
  public record RawGuarding(
      String topics,
      String callbacks,
      String pings,
      String feedPings,
      String subscriptions,
      String callbackRequests,
      String feeds,
      String unasked,
      String exempt) {}

  /** The settings; empty if there is any problem. */
  public Optional<Settings> read(Raw raw) {
    Optional<InetSocketAddress> listen = address("--listen", raw.listen());
    Settings.Protection protection = new ProtectionReader(problems).read(raw.protection());
    Optional<URI> publicUrl =
        raw.publicUrl().isEmpty()
            ? listen.map(address -> Settings.derivedUrl(address, protection.tls()))
            : url("--public-url", raw.publicUrl());
    Optional<Path> data = folder("--data", raw.data());
    List<String> allowFetch = networks("--allow-fetch", raw.allowFetch());
    List<String> allowCallback = networks("--allow-callback", raw.allowCallback());
    Optional<Settings.Hub> hub = hub(raw);
    Optional<Settings.Polling> polling = polling(raw);
    Optional<Duration> retention = retention("--retention", raw.retention());
    Optional<Secret> adminToken =
        SecretFile.of(
                "--admin-token", raw.adminToken(), raw.protection().adminTokenFile(), problems)
            .flatMap(text -> secret("--admin-token", text));
    List<String> trustProxy = networks("--trust-proxy", raw.trustProxy());
    Optional<Duration> testFeed = duration("--test-feed-period", raw.testFeedPeriod());
    Optional<BridgePolicy> bridge =
        bridge(
            "--bridge",
            raw.bridge(),
            listen.filter(
                address ->
                    publicUrl.equals(Optional.of(Settings.derivedUrl(address, protection.tls())))));
    Settings.Guarding guarding = new GuardingReader(problems).read(raw.guarding());
    if (!problems.none()) {
      return Optional.empty();
    }
    return Optional.of(
        new Settings(
            listen.orElseThrow(),
            publicUrl.orElseThrow(),
            data.orElseThrow(),
            new Settings.Outbound(allowFetch, allowCallback),
            hub.orElseThrow(),
            polling.orElseThrow(),
            retention.orElseThrow(),
            adminToken,
            new Settings.Serving(
                trustProxy,
                testFeed.orElseThrow(),
                raw.publicLog(),
                raw.publicStream(),
                bridge.orElseThrow()),
            protection,
            guarding));
  }

  /**
   * Whom only this machine can ask may follow what it is asked for.
   *
   * @param known by which the gateway is known; empty if that is another one
   */
  private Optional<BridgePolicy> bridge(
      String option, String text, Optional<InetSocketAddress> known) {
    return switch (text) {
      case "open" -> Optional.of(BridgePolicy.OPEN);
      case "followed" -> Optional.of(BridgePolicy.FOLLOWED);
      case "off" -> Optional.of(BridgePolicy.OFF);
      case "" -> {
        boolean local =
            known.filter(address -> address.getAddress().isLoopbackAddress()).isPresent();
        yield Optional.of(local ? BridgePolicy.OPEN : BridgePolicy.FOLLOWED);
      }
      default -> {
        problems.add(option, "'%s' is none of open, followed, off".formatted(text));
        yield Optional.empty();
      }
    };
  }

  private Optional<InetSocketAddress> address(String option, String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon).replaceAll("^\\[|\\]$", "");
    Optional<Integer> port = colon < 0 ? Optional.empty() : port(text.substring(colon + 1));
    if (host.isEmpty() || port.isEmpty()) {
      problems.add(option, "'%s' is not ADDRESS:PORT, such as 127.0.0.1:5337".formatted(text));
      return Optional.empty();
    }
    InetSocketAddress address = new InetSocketAddress(host, port.get());
    if (address.isUnresolved()) {
      problems.add(option, "'%s' is no address of this machine".formatted(host));
      return Optional.empty();
    }
    return Optional.of(address);
  }

  private static Optional<Integer> port(String text) {
    return text.matches("\\d{1,5}")
        ? Optional.of(Integer.valueOf(text)).filter(port -> port <= MAX_PORT)
        : Optional.empty();
  }

  private Optional<URI> url(String option, String text) {
    try {
      URI url = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
      String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
      boolean plain =
          url.getHost() != null
              && url.getRawUserInfo() == null
              && url.getRawQuery() == null
              && url.getRawFragment() == null
              && url.getRawPath().isEmpty()
              && isPort(url.getPort());
      if (plain && (scheme.equals("http") || scheme.equals("https"))) {
        return Optional.of(url);
      }
    } catch (URISyntaxException e) {
      // Reported below, like any other text that is no such URL.
    }
    problems.add(
        option,
        "'%s' is not an http or https URL of a host alone, such as https://feeds.example.org"
            .formatted(text));
    return Optional.empty();
  }

  private static boolean isPort(int port) {
    return port == NO_PORT || (port > 0 && port <= MAX_PORT);
  }

  private Optional<Path> folder(String option, String text) {
    try {
      Path folder = Path.of(text);
      if (!text.isBlank() && (Files.notExists(folder) || Files.isDirectory(folder))) {
        return Optional.of(folder);
      }
    } catch (InvalidPathException e) {
      // Reported below, like any other text that names no folder.
    }
    problems.add(option, "'%s' is not a folder, nor can one be made there".formatted(text));
    return Optional.empty();
  }

  private List<String> networks(String option, String text) {
    List<String> networks = new ArrayList<>();
    for (String part : SEPARATOR.split(text, -1)) {
      if (part.isEmpty()) {
        continue;
      }
      if (isNetwork(part)) {
        networks.add(part);
      } else {
        problems.add(
            option, "'%s' is not a network such as 10.0.0.0/8 or fd00::/8".formatted(part));
      }
    }
    return networks;
  }

  private static boolean isNetwork(String text) {
    try {
      AddressPolicy.allowing(List.of(text), List.of());
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private Optional<Settings.Hub> hub(Raw raw) {
    Optional<Format> format = format("--hub-format", raw.hubFormat());
    Optional<Duration> standard = duration("--lease-default", raw.leaseDefault());
    Optional<Duration> min = duration("--lease-min", raw.leaseMin());
    Optional<Duration> max = duration("--lease-max", raw.leaseMax());
    if (standard.isEmpty() || min.isEmpty() || max.isEmpty()) {
      return Optional.empty();
    }
    if (min.get().compareTo(standard.get()) > 0 || standard.get().compareTo(max.get()) > 0) {
      problems.add(
          "--lease-default",
          "'%s' must not be shorter than --lease-min, nor longer than --lease-max"
              .formatted(raw.leaseDefault()));
      return Optional.empty();
    }
    return format.map(
        it -> new Settings.Hub(it, new LeasePolicy(min.get(), standard.get(), max.get())));
  }

  private Optional<Format> format(String option, String text) {
    return switch (text) {
      case "atom" -> Optional.of(Format.ATOM);
      case "raw" -> Optional.of(Format.RAW);
      default -> {
        problems.add(option, "'%s' is neither atom nor raw".formatted(text));
        yield Optional.empty();
      }
    };
  }

  /** A secret that travels in a header; what is wrong with it is told without it. */
  private Optional<Secret> secret(String option, String text) {
    if (text.length() > MAX_SECRET || !VISIBLE.matcher(text).matches()) {
      problems.add(
          option, "is not a word of at most %d visible ASCII characters".formatted(MAX_SECRET));
    }
    return Optional.of(new Secret(text));
  }

  private Optional<Settings.Polling> polling(Raw raw) {
    Optional<Duration> min = duration("--poll-min", raw.pollMin());
    Optional<Duration> max = duration("--poll-max", raw.pollMax());
    Optional<Duration> backup = duration("--backup-poll", raw.backupPoll());
    Optional<Duration> hostPause = pause("--host-pause", raw.hostPause());
    Optional<Duration> quiet = pause("--ping-quiet", raw.pingQuiet());
    Optional<Duration> recheck = pause("--ping-recheck", raw.pingRecheck());
    if (min.isEmpty()
        || max.isEmpty()
        || backup.isEmpty()
        || hostPause.isEmpty()
        || quiet.isEmpty()
        || recheck.isEmpty()) {
      return Optional.empty();
    }
    if (max.get().compareTo(min.get()) < 0) {
      problems.add("--poll-max", "must not be shorter than --poll-min");
    }
    return Optional.of(
        new Settings.Polling(
            min.get(), max.get(), backup.get(), hostPause.get(), quiet.get(), recheck.get()));
  }

  private Optional<Duration> retention(String option, String text) {
    Optional<Duration> retention = duration(option, text);
    if (retention.filter(time -> time.compareTo(SHORTEST_RETENTION) < 0).isPresent()) {
      problems.add(
          option,
          "'%s' is too short: subscribers are waited for during 72h, so 73h is the least"
              .formatted(text));
      return Optional.empty();
    }
    return retention;
  }

  private Optional<Duration> duration(String option, String text) {
    Optional<Duration> duration =
        time(text)
            .filter(
                time -> time.compareTo(SHORTEST_POLL) >= 0 && time.compareTo(LONGEST_POLL) <= 0);
    if (duration.isEmpty()) {
      problems.add(
          option, "'%s' is not a time from 1s to 365d, such as 90s, 15m or 24h".formatted(text));
    }
    return duration;
  }

  private Optional<Duration> pause(String option, String text) {
    Optional<Duration> pause =
        text.equals("0")
            ? Optional.of(Duration.ZERO)
            : time(text).filter(time -> time.compareTo(LONGEST_PAUSE) <= 0);
    if (pause.isEmpty()) {
      problems.add(
          option, "'%s' is neither 0 nor a time up to 1h, such as 500ms or 30s".formatted(text));
    }
    return pause;
  }

  /** A number and a unit, such as 500ms, 90s, 15m, 24h or 7d; empty for anything else. */
  public static Optional<Duration> time(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long count = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          case "h" -> Duration.ofHours(count);
          default -> Duration.ofDays(count);
        });
  }
}
