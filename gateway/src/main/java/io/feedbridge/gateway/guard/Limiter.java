package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.WebAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Counts what callers ask for. It forgets with a restart: what is kept for good has bounds of its
 * own. Thread-safe.
 */
public final class Limiter {

  private final Buckets pings;
  private final Buckets feedPings;
  private final Buckets subscriptions;
  private final Buckets callbacks;
  private final Buckets feeds;
  private final UnaskedRequests unasked;
  private final Rate unaskedRate;

  /**
   * A counter.
   *
   * @param unasked which knows the hosts that do not show that they want anything
   */
  public Limiter(Limits limits, UnaskedRequests unasked, Clock clock) {
    pings = new Buckets(limits.pings(), clock);
    feedPings = new Buckets(limits.feedPings(), clock);
    subscriptions = new Buckets(limits.subscriptions(), clock);
    callbacks = new Buckets(limits.callbacks(), clock);
    feeds = new Buckets(limits.feeds(), clock);
    unaskedRate = limits.unasked();
    this.unasked = unasked;
  }

  /** A caller pings some topics, each of which counts. */
  public Optional<Refusal> pings(String caller, List<String> topics) {
    Optional<Refusal> refusal = taken(pings, caller, topics.size(), "pings of one caller");
    if (refusal.isPresent()) {
      return refusal;
    }
    Map<String, Integer> each = new HashMap<>();
    topics.forEach(topic -> each.merge(topic, 1, Integer::sum));
    for (Map.Entry<String, Integer> one : each.entrySet()) {
      refusal =
          taken(
              feedPings,
              caller + " " + one.getKey(),
              one.getValue(),
              "pings of one caller for one feed");
      if (refusal.isPresent()) {
        return refusal;
      }
    }
    return Optional.empty();
  }

  /** A caller wants so many subscriptions of a callback, or wants them no more. */
  public Optional<Refusal> subscriptions(String caller, String callback, int count) {
    String host = WebAddress.of(callback).map(WebAddress::host).orElse("");
    Optional<Duration> wait = unasked.wait(host);
    if (wait.isPresent()) {
      return Optional.of(
          Refusal.of(
              "requests to %s that it did not confirm".formatted(host), unaskedRate, wait.get()));
    }
    return taken(subscriptions, caller, count, "requests of one caller for subscriptions")
        .or(
            () ->
                taken(callbacks, host, count, "requests for subscriptions of one callback's host"));
  }

  /** A caller wants feeds to be followed that are not yet. */
  public Optional<Refusal> feeds(String caller, int count) {
    return taken(feeds, caller, count, "feeds that are followed anew for one caller");
  }

  private static Optional<Refusal> taken(Buckets buckets, String key, int count, String what) {
    return buckets.take(key, count).map(wait -> Refusal.of(what, buckets.rate(), wait));
  }
}
