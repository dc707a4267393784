package io.feedbridge.gateway.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.client.Gate;
import io.feedbridge.gateway.client.Purpose;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Sees to it that nobody makes the gateway send many requests to a third one: of those that only a
 * stranger asks for, each host and each address gets few until it shows that it wants them, and
 * servers that redirect send it few a second to others. Where the operator denies something, no
 * redirect leads there either. Thread-safe.
 */
public final class UnaskedRequests implements Gate {

  /** Many hosts may share an address, each with its own mistakes. */
  static final int HOSTS_PER_ADDRESS = 4;

  /** Whoever wanted some lately may have many under way, and makes mistakes among them. */
  static final int MORE_WHERE_WANTED = 10;

  private static final Duration LATELY = Duration.ofHours(1);

  /** Redirects from other hosts to one address: as many as its polls might be. */
  static final Rate REDIRECTED = new Rate(60, Duration.ofMinutes(1));

  private final Policies policies;
  private final Budget hosts;
  private final Budget addresses;
  private final Buckets redirected;

  /** What those get who want nothing, and those who do. */
  private static final class Budget {
    private final Buckets strangers;
    private final Buckets friends;
    private final Cache<String, Boolean> wantedLately;

    Budget(Rate rate, Clock clock) {
      strangers = new Buckets(rate, clock);
      friends = new Buckets(rate.times(MORE_WHERE_WANTED), clock);
      wantedLately =
          Caffeine.newBuilder()
              .maximumSize(Buckets.MAX_KEYS)
              .expireAfterWrite(LATELY)
              .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
              .build();
    }

    private Buckets of(String key) {
      return wantedLately.getIfPresent(key) == null ? strangers : friends;
    }

    boolean take(String key) {
      return of(key).take(key, 1).isEmpty();
    }

    Optional<Duration> wait(String key) {
      return of(key).peek(key);
    }

    void wanted(String key) {
      strangers.giveBack(key);
      friends.giveBack(key);
      wantedLately.put(key, true);
    }
  }

  /**
   * A gate.
   *
   * @param unasked requests to one host that does not show that it wants them
   */
  public UnaskedRequests(Policies policies, Rate unasked, Clock clock) {
    this.policies = policies;
    hosts = new Budget(unasked, clock);
    addresses = new Budget(unasked.times(HOSTS_PER_ADDRESS), clock);
    redirected = new Buckets(unasked.isNone() ? Rate.NONE : REDIRECTED, clock);
  }

  @Override
  public Verdict judge(Departure departure) {
    UrlPatterns patterns =
        departure.purpose() == Purpose.FETCH ? policies.topics() : policies.callbacks();
    if (patterns.denies(departure.url())) {
      return Verdict.DENIED;
    }
    String address = address(departure);
    boolean passes =
        switch (departure.asked()) {
          case THERE -> true;
          case BY_A_STRANGER -> hosts.take(departure.host()) && addresses.take(address);
          case BY_A_REDIRECT -> redirected.take(address, 1).isEmpty();
        };
    return passes ? Verdict.PASS : Verdict.TOO_OFTEN;
  }

  private static String address(Departure departure) {
    return departure.address().getHostAddress();
  }

  @Override
  public void wanted(Departure departure) {
    if (departure.asked() == Asked.BY_A_STRANGER) {
      hosts.wanted(departure.host());
      addresses.wanted(address(departure));
    }
  }

  /** How long to wait until a host may be asked again whether it wants something. */
  Optional<Duration> wait(String host) {
    return hosts.wait(host);
  }
}
