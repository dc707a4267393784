package io.feedbridge.gateway.guard;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.client.Gate.Departure;
import io.feedbridge.gateway.client.address.WebAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The budget of first fetches: any stranger can cause one at any host by asking for a topic there.
 * Each host, whatever its ports, and each address has a number of first fetches that find no feed.
 * A first fetch counts when it is sent, and stops to count when it has found a feed. A host that
 * served a feed within the hour has {@link Budget#MORE_WHERE_WANTED} times as many. Each caller has
 * a share of the budget of a host, which is charged when the caller asks for a topic. Kept in
 * memory. Thread-safe; never blocks.
 */
public final class FirstFetches {

  private static final Duration REMEMBERED = Duration.ofHours(2);

  /** How long a feed that is found is put down to the caller that asked for it. */
  private static final Duration ASKED = Duration.ofHours(1);

  private final Rate rate;
  private final Rate shareRate;
  private final Budget hosts;
  private final Budget addresses;
  private final Budget shares;

  /** By host, the address to which its last first fetch went. */
  private final Cache<String, String> dialled;

  /** By URL, the key of the share that its first fetch was charged to. */
  private final Cache<String, String> charged;

  /**
   * Full budgets.
   *
   * @param rate of one host
   */
  FirstFetches(Rate rate, Clock clock) {
    this.rate = rate;
    hosts = new Budget(rate, clock);
    addresses = new Budget(rate.times(UnaskedRequests.HOSTS_PER_ADDRESS), clock);
    shareRate = rate.over(Limiter.CALLERS_OF_A_HOST);
    shares = new Budget(shareRate, clock);
    dialled = lasting(REMEMBERED, clock);
    charged = lasting(ASKED, clock);
  }

  private static Cache<String, String> lasting(Duration time, Clock clock) {
    return Caffeine.newBuilder()
        .maximumSize(Buckets.MAX_KEYS)
        .expireAfterWrite(time)
        .ticker(() -> Duration.between(Instant.EPOCH, clock.instant()).toNanos())
        .build();
  }

  /** Budgets without a bound. */
  public static FirstFetches unlimited() {
    return new FirstFetches(Rate.NONE, Clock.systemUTC());
  }

  /** Counts a first fetch that is about to be sent; false if it must not be. */
  boolean take(Departure departure) {
    String address = departure.address().getHostAddress();
    dialled.put(departure.host(), address);
    return (departure.again() || hosts.take(departure.host())) && addresses.take(address);
  }

  /** How long a first fetch of this URL has to wait for the budget; empty if it need not. */
  public Optional<Duration> wait(String url) {
    String host = host(url);
    Optional<Duration> wait = hosts.wait(host);
    String address = dialled.getIfPresent(host);
    return wait.isPresent() || address == null ? wait : addresses.wait(address);
  }

  /** The time from one first fetch of a host to the next while its budget is spent. */
  public Duration step() {
    return rate.time().dividedBy(Math.max(1, rate.count()));
  }

  /** Why a first fetch of this URL has to wait, for the operator and the caller. */
  public String reason(String url) {
    return "too many " + what("first fetches", url);
  }

  /** Why a request that would cause a first fetch of this URL is refused; empty if it is not. */
  Optional<Refusal> refusal(String url) {
    return wait(url).map(wait -> Refusal.of(what("first fetches", url), rate, wait));
  }

  /**
   * Charges the share of a caller with a first fetch of this URL.
   *
   * @return why the request is refused; empty if the share had room
   */
  Optional<Refusal> charge(String caller, String url) {
    String host = host(url);
    String share = caller + " " + host;
    if (hosts.isWanted(host)) {
      shares.know(share);
    }
    Optional<Duration> wait = shares.takeOrWait(share, 1);
    if (wait.isEmpty()) {
      charged.put(url, share);
    }
    return wait.map(time -> Refusal.of(what("first fetches of one caller", url), shareRate, time));
  }

  private static String what(String fetches, String url) {
    return "%s at %s that found no feed (--limit-unasked)".formatted(fetches, host(url));
  }

  /** A first fetch of this URL has found a feed. */
  public void found(String url) {
    String host = host(url);
    hosts.wanted(host);
    String address = dialled.getIfPresent(host);
    if (address != null) {
      addresses.wanted(address);
    }
    String share = charged.asMap().remove(url);
    if (share != null) {
      shares.wanted(share);
    }
  }

  /** A later fetch of this URL has found a feed again. */
  public void serves(String url) {
    String host = host(url);
    hosts.know(host);
    String address = dialled.getIfPresent(host);
    if (address != null) {
      addresses.know(address);
    }
  }

  private static String host(String url) {
    return WebAddress.hostOf(url);
  }
}
