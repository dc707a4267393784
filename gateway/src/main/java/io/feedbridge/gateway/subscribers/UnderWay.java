package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.admission.Permits;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The verifications that are under way, bounded in all and at each host: a host that never answers
 * does not hold up the requests of others. Safe for use by several threads.
 */
final class UnderWay {

  private final Permits<String, Void> hosts;

  /** The host of each verification, by the request's id. */
  private final Map<Long, String> requests = new HashMap<>();

  /**
   * Verifications that ended since the store was last read, whose rows that read may still show.
   */
  private final Set<Long> endedSinceLook = new HashSet<>();

  UnderWay(int most, int mostPerHost) {
    hosts = new Permits<>(Permits.Bounds.of(mostPerHost, most));
  }

  /** The store is read next, for requests to begin; by one thread at a time. */
  synchronized void look() {
    endedSinceLook.clear();
  }

  /**
   * Begins a request that the last read of the store has shown, if there is room; returns whether
   * it did.
   */
  synchronized boolean begin(long id, String host) {
    if (requests.containsKey(id) || endedSinceLook.contains(id) || !hosts.tryTake(host)) {
      return false;
    }
    requests.put(id, host);
    return true;
  }

  synchronized void end(long id) {
    endedSinceLook.add(id);
    String host = requests.remove(id);
    if (host != null) {
      var unused = hosts.giveBack(host);
    }
  }

  int size() {
    return hosts.taken();
  }

  Set<String> fullHosts() {
    return hosts.full();
  }
}
