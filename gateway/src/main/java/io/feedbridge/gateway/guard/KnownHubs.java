package io.feedbridge.gateway.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.client.address.WebAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Hubs that are known for feeds which name none, or name themselves otherwise than their hub does.
 * At these hubs a feed's topic is the URL that its document came from. Immutable.
 */
public final class KnownHubs {

  private static final String FILE = "known-hubs.txt";
  private static final Pattern LINE = Pattern.compile("(\\S+?)=(https?://\\S+)");

  /** The hubs that each gateway knows. */
  public static final KnownHubs USUAL = new KnownHubs(List.of(), lines());

  private final List<String> added;
  private final List<Known> all = new ArrayList<>();

  private record Known(UrlPattern pattern, String hub) {}

  private KnownHubs(List<String> added, List<String> usual) {
    this.added = List.copyOf(added);
    Stream.concat(added.stream(), usual.stream()).map(KnownHubs::known).forEach(all::add);
  }

  /**
   * The usual ones and others, which come first.
   *
   * @param added each as {@code PATTERN=HUB}, with a pattern as {@link UrlPatterns} has it
   * @throws IllegalArgumentException naming one that is none
   */
  public static KnownHubs with(List<String> added) {
    return new KnownHubs(added, lines());
  }

  private static Known known(String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches() || WebAddress.of(parts.group(2)).isEmpty()) {
      throw new IllegalArgumentException(
          "'%s' is not PATTERN=HUB, such as https://example.org/feeds/=https://hub.example.org/"
              .formatted(line));
    }
    return new Known(UrlPattern.parse(parts.group(1)), parts.group(2));
  }

  private static List<String> lines() {
    try (InputStream file = KnownHubs.class.getResourceAsStream(FILE)) {
      return new String(Objects.requireNonNull(file).readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The hub for a feed's URL. */
  public Optional<String> of(String url) {
    return WebAddress.of(url)
        .flatMap(
            address ->
                all.stream()
                    .filter(known -> known.pattern.matches(address))
                    .map(Known::hub)
                    .findFirst());
  }

  /** The added ones as they were written; equal texts mean the same hubs. */
  @Override
  public String toString() {
    return String.join(",", added);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KnownHubs hubs && hubs.added.equals(added);
  }

  @Override
  public int hashCode() {
    return added.hashCode();
  }
}
