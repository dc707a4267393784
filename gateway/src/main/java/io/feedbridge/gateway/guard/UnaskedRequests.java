package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.Gate;
import io.feedbridge.gateway.client.address.Purpose;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * Keeps callers from making the gateway send many requests to a third party. Of requests that only
 * a stranger asks for, each host and each address gets few until it shows that it wants them.
 * Redirects send few requests a minute to an address of another host. A URL that the operator
 * denies is never reached by a redirect, either. Thread-safe.
 */
public final class UnaskedRequests implements Gate {

  /** Many hosts may share an address, each with its own mistakes. */
  static final int HOSTS_PER_ADDRESS = 4;

  /** Redirects from other hosts to one address: as many as its polls might be. */
  static final Rate REDIRECTED = new Rate(60, Duration.ofMinutes(1));

  private final Policies policies;
  private final Budget hosts;
  private final Budget addresses;
  private final Budget renewals;
  private final Buckets redirected;
  private final FirstFetches firstFetches;

  /**
   * A gate.
   *
   * @param unasked requests to one host that does not show that it wants them
   */
  public UnaskedRequests(Policies policies, Rate unasked, Clock clock) {
    this.policies = policies;
    hosts = new Budget(unasked, clock);
    addresses = new Budget(unasked.times(HOSTS_PER_ADDRESS), clock);
    renewals = new Budget(unasked.times(Budget.MORE_WHERE_WANTED), clock);
    redirected = new Buckets(unasked.isNone() ? Rate.NONE : REDIRECTED, clock);
    firstFetches = new FirstFetches(unasked, clock);
  }

  /** The budget of first fetches, which requests to callbacks, hubs and clouds do not use up. */
  public FirstFetches firstFetches() {
    return firstFetches;
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
          case BY_A_STRANGER ->
              departure.purpose() == Purpose.FETCH
                  ? firstFetches.take(departure)
                  : (departure.again() || hosts.take(departure.host())) && addresses.take(address);
          // Renewals have a budget apart from strangers' requests, which could use up the
          // subscribers' part.
          case BY_A_SUBSCRIBER -> departure.again() || renewals.take(departure.host());
          case BY_A_REDIRECT -> redirected.take(address, 1).isEmpty();
        };
    return passes ? Verdict.PASS : Verdict.TOO_OFTEN;
  }

  private static String address(Departure departure) {
    return departure.address().getHostAddress();
  }

  @Override
  public void wanted(Departure departure) {
    if (departure.asked() == Asked.BY_A_SUBSCRIBER) {
      renewals.wanted(departure.host());
    }
    if (departure.asked() == Asked.BY_A_STRANGER && departure.purpose() != Purpose.FETCH) {
      hosts.wanted(departure.host());
      addresses.wanted(address(departure));
    }
  }

  /** How long to wait until a host may be asked again whether it wants something. */
  Optional<Duration> wait(String host) {
    return hosts.wait(host);
  }
}
