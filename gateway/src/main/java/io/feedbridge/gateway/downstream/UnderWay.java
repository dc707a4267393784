package io.feedbridge.gateway.downstream;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The verifications that are under way, so many at once and so many at each host: whoever never
 * answers holds up the requests of no others. Safe for use by several threads.
 */
final class UnderWay {

  private final int most;
  private final int mostPerHost;

  /** The host of each, by the request's id. */
  private final Map<Long, String> requests = new HashMap<>();

  private final Map<String, Integer> hosts = new HashMap<>();

  /** Those that have ended since the store was looked into, which may have shown them still. */
  private final Set<Long> endedSinceLook = new HashSet<>();

  UnderWay(int most, int mostPerHost) {
    this.most = most;
    this.mostPerHost = mostPerHost;
  }

  /** The store is looked into next, for requests to begin; by one thread at a time. */
  synchronized void look() {
    endedSinceLook.clear();
  }

  /** Whether it may begin, which it then has; the store had it when it was looked into last. */
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
