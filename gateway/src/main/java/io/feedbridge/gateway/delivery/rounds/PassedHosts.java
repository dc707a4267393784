package io.feedbridge.gateway.delivery.rounds;

import io.feedbridge.gateway.delivery.hosts.HostBulkheads;
import io.feedbridge.gateway.delivery.hosts.SlowHosts;
import io.feedbridge.gateway.delivery.send.Recipient;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The hosts that a pass does not wait for, and of these the hosts that it passes over. Used by the
 * thread of the pass; answers come from any thread.
 */
final class PassedHosts {

  /** Hosts that are passed over all together; at further hosts each subscriber gets its own row. */
  static final int MAX_PASSED = 1_000;

  private final HostBulkheads windows;
  private final SlowHosts slow = new SlowHosts();

  /** Hosts that are passed over, and the subscription after which. */
  private final Map<String, Long> passed = new HashMap<>();

  PassedHosts(HostBulkheads windows) {
    this.windows = windows;
  }

  /** Hosts that are passed over, and the subscription after which. */
  Map<String, Long> all() {
    return passed;
  }

  /** The pass has waited for these hosts in vain. */
  void slow(Set<String> hosts) {
    slow.add(hosts);
  }

  /** A host answered a request that began then, by {@link System#nanoTime}. */
  void answered(String host, long beganAt) {
    slow.answered(host, beganAt);
  }

  boolean isUnawaited(String host) {
    return slow.contains(host) || windows.isSilent(host);
  }

  /**
   * Whether the subscriber was looked up before its host was passed over, and gets its row with
   * others.
   */
  boolean isPassedWithOthers(Recipient recipient) {
    Long from = passed.get(recipient.host);
    return from != null && recipient.subscription.id() > from;
  }

  /**
   * Whether nothing is to be sent to this subscriber, because of its host or because its callback
   * is silent while its host answers, and the pass does not wait for it.
   *
   * @param reached the last subscription that the pass came to
   */
  boolean isPassed(Recipient recipient, long reached) {
    String host = recipient.host;
    String callback = recipient.subscription.callback();
    if (passed.containsKey(host) || windows.isSilentByItself(host, callback)) {
      return true;
    }
    if (windows.mayTry(host, callback)) {
      return false;
    }
    boolean open = windows.holdsBack(host);
    if (!open && !(slow.contains(host) && windows.isFull(host))) {
      return false;
    }
    boolean whole = open ? !windows.isTrialDue(host) : slow.isToBePassed(host);
    if (whole && passed.size() < MAX_PASSED) {
      passed.put(host, reached);
    }
    return true;
  }
}
