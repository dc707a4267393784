package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.Gate;
import io.feedbridge.gateway.client.Purpose;
import java.time.Clock;
import java.time.Duration;
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

  /** Redirects from other hosts to one address: as many as its polls might be. */
  static final Rate REDIRECTED = new Rate(60, Duration.ofMinutes(1));

  private final Policies policies;
  private final Buckets hosts;
  private final Buckets addresses;
  private final Buckets redirected;

  /**
   * A gate.
   *
   * @param unasked requests to one host that does not show that it wants them
   */
  public UnaskedRequests(Policies policies, Rate unasked, Clock clock) {
    this.policies = policies;
    hosts = new Buckets(unasked, clock);
    addresses = new Buckets(unasked.times(HOSTS_PER_ADDRESS), clock);
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
          case BY_A_STRANGER ->
              hosts.take(departure.host(), 1).isEmpty() && addresses.take(address, 1).isEmpty();
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
      hosts.giveBack(departure.host());
      addresses.giveBack(address(departure));
    }
  }

  /** How long to wait until a host may be asked again whether it wants something. */
  Optional<Duration> wait(String host) {
    return hosts.peek(host);
  }
}
