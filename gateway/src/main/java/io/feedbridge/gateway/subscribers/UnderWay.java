package io.feedbridge.gateway.subscribers;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The verifications that are under way, bounded in all and at each host: a host that never answers
 * does not hold up the requests of others. Safe for use by several threads.
 */
final class UnderWay {

  private final int most;
  private final int mostPerHost;

  /** The host of each verification, by the request's id. */
  private final Map<Long, String> requests = new HashMap<>();

  private final Map<String, Integer> hosts = new HashMap<>();

  /**
   * Verifications that ended since the store was last read, whose rows that read may still show.
   */
  private final Set<Long> endedSinceLook = new HashSet<>();

  UnderWay(int most, int mostPerHost) {
    this.most = most;
    this.mostPerHost = mostPerHost;
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
    if (requests.size() >= most
        || hosts.getOrDefault(host, 0) >= mostPerHost
        || requests.containsKey(id)
        || endedSinceLook.contains(id)) {
      return false;
    }
    requests.put(id, host);
    hosts.merge(host, 1, Integer::sum);
    return true;
  }

  synchronized void end(long id) {
    endedSinceLook.add(id);
    String host = requests.remove(id);
    if (host != null) {
      hosts.computeIfPresent(host, (same, count) -> count == 1 ? null : count - 1);
    }
  }

  synchronized int size() {
    return requests.size();
  }

  synchronized Set<String> fullHosts() {
    return hosts.entrySet().stream()
        .filter(host -> host.getValue() >= mostPerHost)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
