package io.feedbridge.gateway.config;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.guard.GivenPaces;
import io.feedbridge.gateway.guard.KnownHubs;
import io.feedbridge.gateway.guard.Rate;
import io.feedbridge.gateway.guard.RelayTarget;
import io.feedbridge.gateway.guard.UrlPatterns;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The type of an option: how its text is read, and the bounds of its value. Immutable.
 *
 * @param form how it stands on a command line
 * @param label the name of a value in {@code --help}; empty for a flag
 * @param bounds of a value, in words; empty where there are none
 * @param reader of a text
 * @param <T> the type of the value
 */
public record Kind<T>(Form form, String label, String bounds, Reader<T> reader) {

  private static final Pattern DURATION = Pattern.compile("0|(\\d{1,9})(ms|s|m|h|d)");
  private static final Pattern COUNT = Pattern.compile("\\d{1,9}");
  private static final Pattern SOCKET = Pattern.compile("(?:\\[(.+)]|([^\\[\\]]+)):(\\d{1,5})");
  private static final Pattern BROKERS =
      Pattern.compile(
          "(?:\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):\\d{1,5}(?:,(?:\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):\\d{1,5})*");
  private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,239}");
  private static final Pattern NODE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private static final Pattern DATABASE =
      Pattern.compile("jdbc:postgresql://[!-~&&[^/?]]*/[!-~&&[^/?]]+(\\?[!-~]*)?");
  private static final int MAX_PORT = 65_535;

  /** The result of {@link URI#getPort} for a URL without a port. */
  private static final int NO_PORT = -1;

  private static final Pattern VISIBLE = Pattern.compile("[!-~]+");
  private static final Pattern SEPARATOR = Pattern.compile("[,\\s]+");

  /** How an option stands on a command line. */
  public enum Form {
    /** Without a value. */
    FLAG,
    /** Once, with a value. */
    VALUE,
    /** With values by commas or blanks, and as often as is needed. */
    LIST,
    /** With a value that is never shown; a second option names the file that holds it. */
    SECRET
  }

  /** Reads a text. */
  @FunctionalInterface
  public interface Reader<T> {

    /**
     * The value; empty, after at least one problem, where the text has none.
     *
     * @param wrong takes each problem, in words that quote the text unless it is a secret
     */
    Optional<T> read(String text, Consumer<String> wrong);
  }

  /** One value, with one problem for every text that has none. */
  private static <T> Kind<T> value(
      Form form,
      String label,
      String bounds,
      Function<String, Optional<T>> value,
      Function<String, String> problem) {
    return new Kind<>(
        form,
        label,
        bounds,
        (text, wrong) -> {
          Optional<T> read = value.apply(text);
          if (read.isEmpty()) {
            wrong.accept(problem.apply(text));
          }
          return read;
        });
  }

  private static <T> Kind<T> value(
      String label, String bounds, Function<String, Optional<T>> value, String problem) {
    return value(Form.VALUE, label, bounds, value, problem::formatted);
  }

  /** True where it is given. */
  static Kind<Boolean> flag() {
    return value(
        Form.FLAG,
        "",
        "",
        text -> Optional.of(text).filter(Set.of("true", "false")::contains).map(Boolean::valueOf),
        "'%s' must be true or false"::formatted);
  }

  /** A whole number within bounds. */
  public static Kind<Integer> count(int least, int most) {
    String bounds = "%d to %d".formatted(least, most);
    return value(
        "COUNT",
        bounds,
        text ->
            Optional.of(text)
                .filter(it -> COUNT.matcher(it).matches())
                .map(Integer::valueOf)
                .filter(count -> count >= least && count <= most),
        "'%s' is not a number from " + bounds);
  }

  /** A duration within bounds, all written as {@link #duration} has it. */
  static Kind<Duration> time(String least, String most) {
    Duration shortest = duration(least).orElseThrow();
    Duration longest = duration(most).orElseThrow();
    String bounds = "%s to %s".formatted(least, most);
    return value(
        "TIME",
        bounds,
        text ->
            duration(text)
                .filter(time -> time.compareTo(shortest) >= 0 && time.compareTo(longest) <= 0),
        "'%s' is not a time from " + bounds + ": a number with ms, s, m, h or d");
  }

  /** Reads 0, or a number and a unit, such as 500ms, 90s, 15m, 24h or 7d; else empty. */
  public static Optional<Duration> duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long count = matcher.group(1) == null ? 0 : Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (String.valueOf(matcher.group(2))) {
          case "ms" -> Duration.ofMillis(count);
          case "m" -> Duration.ofMinutes(count);
          case "h" -> Duration.ofHours(count);
          case "d" -> Duration.ofDays(count);
          default -> Duration.ofSeconds(count);
        });
  }

  /** A number in a time, or none. */
  static Kind<Rate> rate() {
    return value(
        "RATE", "", Rate::parse, "'%s' is neither none nor a number in a time, such as 600/1m");
  }

  /** Some values of an enum, by their names in lower case. */
  static <E extends Enum<E>> Kind<E> choice(List<E> values) {
    List<String> names =
        values.stream().map(value -> value.name().toLowerCase(Locale.ROOT)).toList();
    return value(
        String.join("|", names),
        "",
        text -> Optional.of(names.indexOf(text)).filter(at -> at >= 0).map(values::get),
        "'%s' must be " + String.join(", ", names).replaceFirst(", (\\w+)$", " or $1"));
  }

  /** An address of this machine and a port; port 0 stands for any free one. */
  static Kind<InetSocketAddress> socket() {
    return value(
        Form.VALUE,
        "ADDRESS:PORT",
        "",
        text -> written(text).filter(address -> !address.isUnresolved()),
        text ->
            written(text)
                .map(it -> "'%s' is not an address of this machine".formatted(it.getHostString()))
                .orElse("'%s' is not ADDRESS:PORT, such as 127.0.0.1:5337".formatted(text)));
  }

  private static Optional<InetSocketAddress> written(String text) {
    Matcher matcher = SOCKET.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(3)) > MAX_PORT) {
      return Optional.empty();
    }
    String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    return Optional.of(new InetSocketAddress(host, Integer.parseInt(matcher.group(3))));
  }

  /** An http or https URL of a host alone, read without a slash at its end. */
  static Kind<URI> site() {
    return value(
        "URL",
        "",
        Kind::site,
        "'%s' is not an http or https URL of a host alone, such as https://feeds.example.org");
  }

  private static Optional<URI> site(String text) {
    try {
      URI url = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
      int port = url.getPort();
      return Optional.of(url)
          .filter(it -> String.valueOf(it.getScheme()).matches("(?i)https?"))
          .filter(it -> it.getHost() != null && it.getRawUserInfo() == null)
          .filter(it -> it.getRawQuery() == null && it.getRawFragment() == null)
          .filter(it -> it.getRawPath().isEmpty())
          .filter(it -> port == NO_PORT || (port > 0 && port <= MAX_PORT));
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /** A ws or wss URL. */
  static Kind<URI> webSocket() {
    return value(
        "URL", "", Kind::webSocket, "'%s' is not a ws or wss URL, such as wss://feedland.org/");
  }

  private static Optional<URI> webSocket(String text) {
    try {
      return Optional.of(new URI(text))
          .filter(it -> String.valueOf(it.getScheme()).matches("(?i)wss?"))
          .filter(it -> it.getHost() != null && it.getRawUserInfo() == null)
          .filter(it -> it.getRawFragment() == null);
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /** A folder that exists or can be made. */
  static Kind<Path> folder() {
    return value(
        "FOLDER",
        "",
        text -> path(text).filter(it -> Files.notExists(it) || Files.isDirectory(it)),
        "'%s' is not a folder, nor can one be made there");
  }

  /** A file, whether it exists or not. */
  public static Kind<Path> file() {
    return value("FILE", "", Kind::path, "'%s' is no path");
  }

  private static Optional<Path> path(String text) {
    try {
      return text.isBlank() ? Optional.empty() : Optional.of(Path.of(text));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /**
   * A secret that travels in a header. No message contains it.
   *
   * @param least characters: fewer can be found by trying
   */
  static Kind<Secret> secret(int least, int most) {
    Function<String, Boolean> isWord =
        text -> text.length() <= most && VISIBLE.matcher(text).matches();
    return value(
        Form.SECRET,
        "TOKEN",
        "%d to %d characters".formatted(least, most),
        text ->
            Optional.of(text)
                .filter(it -> isWord.apply(it) && it.length() >= least)
                .map(Secret::new),
        text ->
            isWord.apply(text)
                ? "has %d characters: choose at least %d, at random".formatted(text.length(), least)
                : "is not a word of at most %d visible ASCII characters".formatted(most));
  }

  /** The name of a node, such as a host name. */
  static Kind<String> node() {
    return value(
        "NAME",
        "1 to 64 letters, digits, dots, dashes and underscores",
        text -> Optional.of(text).filter(it -> NODE.matcher(it).matches()),
        "'%s' is not a name of 1 to 64 letters, digits, dots, dashes and underscores");
  }

  /** Hosts with their ports, separated by commas. */
  static Kind<String> brokers() {
    return value(
        "HOST:PORT,…",
        "",
        text -> Optional.of(text).filter(it -> BROKERS.matcher(it).matches()),
        "'%s' is not a list such as kafka-1.example:9092,kafka-2.example:9092");
  }

  /** The name of a topic in Kafka, which leaves room for an ending. */
  static Kind<String> topic() {
    return value(
        "TOPIC",
        "1 to 240 letters, digits, dots, dashes and underscores",
        text -> Optional.of(text).filter(it -> TOPIC.matcher(it).matches()),
        "'%s' is not a name of 1 to 240 letters, digits, dots, dashes and underscores");
  }

  /** The JDBC URL of a PostgreSQL database, which may hold a password. */
  static Kind<Secret> database() {
    return value(
        Form.SECRET,
        "URL",
        "",
        text -> Optional.of(text).filter(it -> DATABASE.matcher(it).matches()).map(Secret::new),
        text -> "is not of the form jdbc:postgresql://host:port/database?user=…&password=…");
  }

  /** Networks in CIDR notation, or single addresses. */
  static Kind<List<String>> networks() {
    return new Kind<>(
        Form.LIST,
        "NETWORKS",
        "",
        (text, wrong) -> Optional.of(parts(text).filter(it -> isNetwork(it, wrong)).toList()));
  }

  private static boolean isNetwork(String text, Consumer<String> wrong) {
    try {
      Networks unused = Networks.of(List.of(text));
      return true;
    } catch (IllegalArgumentException e) {
      wrong.accept("'%s' is not a network such as 10.0.0.0/8 or fd00::/8".formatted(text));
      return false;
    }
  }

  /** Patterns of URLs; {@code @} stands before the name of a file that has one a line. */
  static Kind<UrlPatterns> patterns() {
    return new Kind<>(
        Form.LIST,
        "PATTERNS",
        "at most %d".formatted(UrlPatterns.MAX),
        (text, wrong) -> new PatternReader(wrong).read(parts(text)));
  }

  /** Hubs for patterns of feeds. */
  static Kind<KnownHubs> hubs() {
    return listed("HUBS", "", KnownHubs::with);
  }

  /** Servers that are told of changes. */
  static Kind<List<RelayTarget>> relays() {
    return listed("RELAYS", "at most %d".formatted(RelayTarget.MAX), RelayTarget::of);
  }

  /** Paces for patterns of sites. */
  static Kind<GivenPaces> paces() {
    return listed("PACES", "at most %d".formatted(GivenPaces.MAX), GivenPaces::of);
  }

  /** A list that its own type reads, which throws an exception that names a wrong part. */
  private static <T> Kind<T> listed(String label, String bounds, Function<List<String>, T> reader) {
    return new Kind<>(
        Form.LIST,
        label,
        bounds,
        (text, wrong) -> {
          try {
            return Optional.of(reader.apply(parts(text).toList()));
          } catch (IllegalArgumentException e) {
            wrong.accept(String.valueOf(e.getMessage()));
            return Optional.empty();
          }
        });
  }

  private static Stream<String> parts(String text) {
    return SEPARATOR.splitAsStream(text).filter(part -> !part.isEmpty());
  }
}
