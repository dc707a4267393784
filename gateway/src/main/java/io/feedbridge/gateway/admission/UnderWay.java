package io.feedbridge.gateway.admission;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The requests to hosts that are under way, of rows of the store that are due. They are bounded in
 * all and at each host. Hosts that answered their last request have places of their own; hosts that
 * left it unanswered have few. Safe for use by several threads.
 */
public final class UnderWay {

  /** Hosts whose last answer is remembered; the host that was heard the longest ago goes. */
  static final int MAX_REMEMBERED = 2_000;

  /**
   * The bounds of requests.
   *
   * @param hosts of all requests, with the hosts as keys
   * @param unproven requests to hosts that did not answer their last request, or had none
   * @param silent requests to hosts that did not answer their last request
   */
  public record Bounds(Permits.Bounds hosts, int unproven, int silent) {

    /** Bounds in all and at each host, whatever it answers. */
    public static Bounds of(Permits.Bounds hosts) {
      return new Bounds(hosts, hosts.total(), hosts.total());
    }
  }

  private final Bounds bounds;
  private final Permits<String, Void> hosts;

  /** The requests by the ids of their rows; guarded by this, like all further fields. */
  private final Map<Long, Request> requests = new HashMap<>();

  /** Rows whose requests ended since the store was last read, which that read may still show. */
  private final Set<Long> endedSinceLook = new HashSet<>();

  /** Whether hosts answered their last request, the oldest answer first. */
  private final Map<String, Boolean> answered = new LinkedHashMap<>();

  private int unproven;
  private int silent;

  private record Request(String host, boolean unproven, boolean silent) {}

  /** Nothing is under way. */
  public UnderWay(Bounds bounds) {
    this.bounds = bounds;
    hosts = new Permits<>(bounds.hosts);
  }

  /** The store is read next, for requests to begin; by one thread at a time. */
  public synchronized void look() {
    endedSinceLook.clear();
  }

  /**
   * Begins a request of a row that the last read of the store has shown, if there is room.
   *
   * @return whether it began
   */
  public synchronized boolean begin(long id, String host) {
    Boolean answers = answered.get(host);
    Request request =
        new Request(host, !Boolean.TRUE.equals(answers), Boolean.FALSE.equals(answers));
    if (requests.containsKey(id)
        || endedSinceLook.contains(id)
        || (request.unproven && isUnprovenFull())
        || (request.silent && isSilentFull())
        || !hosts.tryTake(host)) {
      return false;
    }
    requests.put(id, request);
    unproven += request.unproven ? 1 : 0;
    silent += request.silent ? 1 : 0;
    return true;
  }

  private boolean isUnprovenFull() {
    return unproven >= bounds.unproven;
  }

  private boolean isSilentFull() {
    return silent >= bounds.silent;
  }

  /** Whether a host answered a request that was sent to it. */
  public synchronized void heard(String host, boolean answer) {
    answered.remove(host);
    answered.put(host, answer);
    if (answered.size() > MAX_REMEMBERED) {
      answered.remove(answered.keySet().iterator().next());
    }
  }

  /** A request has ended; one that is not under way is none. */
  public synchronized void end(long id) {
    endedSinceLook.add(id);
    Request request = requests.remove(id);
    if (request != null) {
      unproven -= request.unproven ? 1 : 0;
      silent -= request.silent ? 1 : 0;
      var unused = hosts.giveBack(request.host);
    }
  }

  /** Requests that are under way. */
  public int size() {
    return hosts.taken();
  }

  /** Hosts to which no further request begins now. */
  public synchronized Set<String> fullHosts() {
    Set<String> full = new HashSet<>(hosts.full());
    if (isSilentFull()) {
      full.addAll(heard(false));
    }
    return full;
  }

  /** The only hosts to which further requests begin now; empty if that is all but the full ones. */
  public synchronized Optional<Set<String>> onlyHosts() {
    if (!isUnprovenFull()) {
      return Optional.empty();
    }
    Set<String> only = heard(true);
    only.removeAll(hosts.full());
    return Optional.of(only);
  }

  private Set<String> heard(boolean answer) {
    return answered.entrySet().stream()
        .filter(host -> host.getValue() == answer)
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(HashSet::new));
  }
}
