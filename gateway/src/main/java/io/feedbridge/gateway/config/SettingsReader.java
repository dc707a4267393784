package io.feedbridge.gateway.config;

import io.feedbridge.gateway.bridge.BridgePolicy;
import io.feedbridge.gateway.guard.Limits;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.websub.LeasePolicy;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes {@link Settings} of the values of {@link Options}, and checks values against others. */
public final class SettingsReader {

  private final Problems problems;

  /** Notes problems there. */
  public SettingsReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * The settings; empty if there is any problem.
   *
   * @param texts the text of each option that is set, by its name
   */
  public Optional<Settings> read(Map<String, String> texts) {
    return read(OptionValues.read(Options.ALL, texts, problems));
  }

  /**
   * The settings of a command line.
   *
   * @param words each an option, {@code =} and its value
   * @throws IllegalArgumentException if there is any problem
   */
  public static Settings of(String... words) {
    Problems problems = new Problems();
    Map<String, String> texts =
        Stream.of(words)
            .map(word -> word.split("=", 2))
            .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
    return new SettingsReader(problems)
        .read(texts)
        .orElseThrow(() -> new IllegalArgumentException(String.join("; ", problems.found())));
  }

  /** The settings; empty if there is any problem, of one value or already noted before. */
  public Optional<Settings> read(OptionValues values) {
    checkPolls(values);
    checkLeases(values);
    checkPair(values, Options.TLS_CERT, Options.TLS_KEY);
    checkPair(values, Options.TLS_KEY, Options.TLS_CERT);
    checkPair(values, Options.RSSCLOUD_OVER_HTTP, Options.TLS_CERT);
    checkPair(values, Options.ADVERTISE, Options.STORE_URL);
    checkPair(values, Options.KAFKA_CONFIG, Options.KAFKA);
    checkPair(values, Options.KAFKA_TOPIC, Options.KAFKA);
    checkPair(values, Options.KAFKA_FORMAT, Options.KAFKA);
    checkPair(values, Options.OTLP_PERCENT, Options.OTLP);
    return problems.none() ? Optional.of(settings(values)) : Optional.empty();
  }

  private void checkPolls(OptionValues values) {
    if (!areOrdered(values, Options.POLL_MIN, Options.POLL_MAX)) {
      problems.add(
          "%s, %s".formatted(Options.POLL_MIN.name(), Options.POLL_MAX.name()),
          "the shortest period, %s, is longer than the longest, %s"
              .formatted(values.text(Options.POLL_MIN), values.text(Options.POLL_MAX)));
    }
  }

  private void checkLeases(OptionValues values) {
    if (!areOrdered(values, Options.LEASE_MIN, Options.LEASE_DEFAULT)
        || !areOrdered(values, Options.LEASE_DEFAULT, Options.LEASE_MAX)) {
      problems.add(
          Stream.of(Options.LEASE_DEFAULT, Options.LEASE_MIN, Options.LEASE_MAX)
              .filter(values::isSet)
              .map(Option::name)
              .collect(Collectors.joining(", ")),
          "the default lease, '%s', must not be shorter than the shortest, '%s', nor longer than the longest, '%s'"
              .formatted(
                  values.text(Options.LEASE_DEFAULT),
                  values.text(Options.LEASE_MIN),
                  values.text(Options.LEASE_MAX)));
    }
  }

  /** Whether a value is at most another one; values that are missing have a problem already. */
  private static <T extends Comparable<T>> boolean areOrdered(
      OptionValues values, Option<T> less, Option<T> more) {
    Optional<T> least = values.find(less);
    return values
        .find(more)
        .filter(most -> least.filter(it -> it.compareTo(most) > 0).isPresent())
        .isEmpty();
  }

  private void checkPair(OptionValues values, Option<?> option, Option<?> other) {
    if (values.isSet(option) && !values.isSet(other)) {
      problems.add(option.name(), "needs %s too".formatted(other.name()));
    }
  }

  private static Settings settings(OptionValues values) {
    InetSocketAddress listen = values.get(Options.LISTEN);
    Optional<Settings.Tls> tls =
        values
            .find(Options.TLS_CERT)
            .map(
                certificate ->
                    new Settings.Tls(
                        certificate,
                        values.get(Options.TLS_KEY),
                        values.get(Options.RSSCLOUD_OVER_HTTP)));
    URI publicUrl =
        values
            .find(Options.PUBLIC_URL)
            .orElseGet(() -> Settings.derivedUrl(listen, tls.isPresent()));
    // Only this machine can ask then, so that any feed may be followed.
    boolean local = listen.getAddress().isLoopbackAddress() && LoopbackName.is(publicUrl.getHost());
    return new Settings(
        listen,
        publicUrl,
        new Settings.Storage(
            values.get(Options.DATA),
            values.find(Options.STORE_URL),
            values.find(Options.NODE).orElseGet(HostName::get),
            values.find(Options.ADVERTISE),
            topic(values)),
        new Settings.Outbound(
            values.get(Options.ALLOW_FETCH),
            values.get(Options.ALLOW_CALLBACK),
            values.get(Options.RELAY),
            values.find(Options.PODPING),
            values.find(Options.FIREHOSE)),
        hub(values),
        polling(values),
        values.get(Options.RETENTION),
        values.find(Options.ADMIN_TOKEN),
        new Settings.Serving(
            values.get(Options.TRUST_PROXY),
            values.get(Options.TEST_FEED_PERIOD),
            values.get(Options.PUBLIC_LOG),
            values.get(Options.PUBLIC_STREAM),
            values.get(Options.PUBLIC_METRICS),
            values.find(Options.BRIDGE).orElse(local ? BridgePolicy.OPEN : BridgePolicy.FOLLOWED)),
        new Settings.Protection(
            values.find(Options.KEY_FILE), tls, values.get(Options.CONNECTIONS_PER_ADDRESS)),
        guarding(values),
        new Settings.Tracing(values.find(Options.OTLP), values.get(Options.OTLP_PERCENT)));
  }

  private static Optional<Settings.Topic> topic(OptionValues values) {
    return values
        .find(Options.KAFKA)
        .map(
            brokers ->
                new Settings.Topic(
                    brokers,
                    values.get(Options.KAFKA_TOPIC),
                    values.get(Options.KAFKA_FORMAT),
                    values.find(Options.KAFKA_CONFIG)));
  }

  private static Settings.Hub hub(OptionValues values) {
    return new Settings.Hub(
        values.get(Options.HUB_FORMAT),
        new LeasePolicy(
            values.get(Options.LEASE_MIN),
            values.get(Options.LEASE_DEFAULT),
            values.get(Options.LEASE_MAX)),
        values.get(Options.DIGEST_EVERY));
  }

  private static Settings.Polling polling(OptionValues values) {
    return new Settings.Polling(
        values.get(Options.POLL_MIN),
        values.get(Options.POLL_MAX),
        values.get(Options.BACKUP_POLL),
        values.get(Options.HOST_PAUSE),
        values.get(Options.PING_QUIET),
        values.get(Options.PING_RECHECK),
        values.get(Options.HUB_FOR),
        values.get(Options.PACE));
  }

  static Settings.Guarding guarding(OptionValues values) {
    return new Settings.Guarding(
        values.get(Options.TOPICS),
        values.get(Options.CALLBACKS),
        new Limits(
            values.get(LimitOptions.LIMIT_PINGS),
            values.get(LimitOptions.LIMIT_FEED_PINGS),
            values.get(LimitOptions.LIMIT_SUBSCRIPTIONS),
            values.get(LimitOptions.LIMIT_CALLBACKS),
            values.get(LimitOptions.LIMIT_FEEDS),
            values.get(LimitOptions.LIMIT_UNASKED),
            values.get(LimitOptions.LIMIT_PASSWORDS),
            values.get(LimitOptions.LIMIT_EXEMPT)),
        values
            .find(Options.TRACKERS)
            .orElse(
                values.find(Options.ADMIN_TOKEN).isPresent()
                    ? TrackerPolicy.LOGIN
                    : TrackerPolicy.OPEN));
  }
}
