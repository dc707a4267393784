package io.feedbridge.gateway.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.client.address.WebAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Counts the requests of callers, refuses the surplus, and remembers which callers it refused. A
 * refused request counts against the caller that asked. A restart clears its counts: durable data
 * has bounds of its own. Thread-safe.
 */
public final class Limiter {

  /** One over this is the part of a caller in the budgets of a host for unwanted requests. */
  static final int CALLERS_OF_A_HOST = 2;

  /** How long a confirmation is put down to the caller that asked for it. */
  private static final Duration ASKED = Duration.ofHours(1);

  private final Buckets pings;
  private final Buckets feedPings;
  private final Buckets subscriptions;
  private final Buckets callbacks;
  private final Budget shares;
  private final Buckets feeds;
  private final UnaskedRequests unasked;
  private final Rate unaskedRate;
  private final Rate shareRate;
  private final RefusedCallers held;

  /** Which caller asked for a callback last. */
  private final Cache<String, String> askers;

  /** Why a caller is held back. */
  public enum Kind {
    /** Pings of the caller. */
    PINGS,
    /** Its pings for one feed. */
    FEED_PINGS,
    /** Its requests for subscriptions. */
    SUBSCRIPTIONS,
    /** Requests for subscriptions of one callback's host, of all callers. */
    CALLBACKS,
    /** Requests of the caller to a host that did not confirm them. */
    UNASKED_SHARE,
    /** Requests of all callers to a host that did not confirm them. */
    UNASKED,
    /** Feeds that are followed anew for the caller. */
    FEEDS,
    /** First fetches for the caller at the host of a feed. */
    FIRST_FETCHES_SHARE,
    /** First fetches at the host of a feed, for all callers. */
    FIRST_FETCHES,
    /** Its wrong passwords, or the wrong passwords of unknown callers for one account. */
    PASSWORDS,
    /** The time that its calls take to read. */
    WORK
  }

  /**
   * A counter.
   *
   * @param unasked which knows the hosts that do not show that they want anything
   * @param held remembers refusals
   */
  public Limiter(Limits limits, UnaskedRequests unasked, RefusedCallers held, Clock clock) {
    pings = new Buckets(limits.pings(), clock);
    feedPings = new Buckets(limits.feedPings(), clock);
    subscriptions = new Buckets(limits.subscriptions(), clock);
    callbacks = new Buckets(limits.callbacks(), clock);
    feeds = new Buckets(limits.feeds(), clock);
    unaskedRate = limits.unasked();
    shareRate = unaskedRate.over(CALLERS_OF_A_HOST);
    shares = new Budget(shareRate, clock);
    this.unasked = unasked;
    this.held = held;
    askers =
        Caffeine.newBuilder()
            .maximumSize(Buckets.MAX_KEYS)
            .expireAfterWrite(ASKED)
            .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
            .build();
  }

  /** A caller pings some topics, each of which counts. */
  public Optional<Refusal> pings(String caller, List<String> topics) {
    Optional<Refusal> refusal =
        taken(pings, caller, caller, topics.size(), Kind.PINGS, "pings of one caller");
    if (refusal.isPresent()) {
      return refusal;
    }
    Map<String, Integer> each = new HashMap<>();
    topics.forEach(topic -> each.merge(topic, 1, Integer::sum));
    for (Map.Entry<String, Integer> one : each.entrySet()) {
      refusal =
          taken(
              feedPings,
              caller,
              caller + " " + one.getKey(),
              one.getValue(),
              Kind.FEED_PINGS,
              "pings of one caller for one feed");
      if (refusal.isPresent()) {
        return refusal;
      }
    }
    return Optional.empty();
  }

  /**
   * A caller asks for subscriptions of a callback, or for their end.
   *
   * @param count of them that are new to the callback
   * @param renewals of them that it has already: the budgets of its host, which others use too, do
   *     not hold for these
   */
  public Optional<Refusal> subscriptions(String caller, String callback, int count, int renewals) {
    Optional<Refusal> refusal =
        taken(
            subscriptions,
            caller,
            caller,
            count + renewals,
            Kind.SUBSCRIPTIONS,
            "requests of one caller for subscriptions");
    if (refusal.isPresent() || count == 0) {
      return refusal;
    }
    String host = WebAddress.hostOf(callback);
    Optional<Duration> wait = shares.takeOrWait(caller + " " + host, count);
    if (wait.isPresent()) {
      String what = "requests of one caller to %s that it did not confirm".formatted(host);
      return held(caller, Kind.UNASKED_SHARE, Refusal.of(what, shareRate, wait.get()));
    }
    askers.put(callback, caller);
    wait = unasked.wait(host);
    if (wait.isPresent()) {
      String what = "requests to %s that it did not confirm".formatted(host);
      return held(caller, Kind.UNASKED, Refusal.of(what, unaskedRate, wait.get()));
    }
    return taken(
        callbacks,
        caller,
        host,
        count,
        Kind.CALLBACKS,
        "requests for subscriptions of one callback's host");
  }

  /** A callback confirmed a request, which does not count against the caller that asked. */
  public void confirmed(String callback) {
    String caller = askers.getIfPresent(callback);
    if (caller != null) {
      shares.wanted(caller + " " + WebAddress.hostOf(callback));
    }
  }

  /**
   * A caller wants feeds to be followed that are not yet, each of which is fetched at once.
   *
   * @param topics normalised
   */
  public Optional<Refusal> feeds(String caller, List<String> topics) {
    for (String topic : topics) {
      Optional<Refusal> refusal = unasked.firstFetches().refusal(topic);
      if (refusal.isPresent()) {
        return held(caller, Kind.FIRST_FETCHES, refusal.get());
      }
      refusal = unasked.firstFetches().charge(caller, topic);
      if (refusal.isPresent()) {
        return held(caller, Kind.FIRST_FETCHES_SHARE, refusal.get());
      }
    }
    return taken(
        feeds,
        caller,
        caller,
        topics.size(),
        Kind.FEEDS,
        "feeds that are followed anew for one caller");
  }

  /** Remembers a refusal that another part of the gateway decided on. */
  public Optional<Refusal> held(String caller, Kind kind, Refusal refusal) {
    held.add(caller, kind, refusal);
    return Optional.of(refusal);
  }

  private Optional<Refusal> taken(
      Buckets buckets, String caller, String key, int count, Kind kind, String what) {
    Optional<Refusal> refusal =
        buckets.take(key, count).map(wait -> Refusal.of(what, buckets.rate(), wait));
    refusal.ifPresent(why -> held.add(caller, kind, why));
    return refusal;
  }
}
