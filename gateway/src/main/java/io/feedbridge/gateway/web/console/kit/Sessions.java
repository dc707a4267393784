package io.feedbridge.gateway.web.console.kit;

import io.feedbridge.websub.RandomToken;
import java.time.Clock;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The sessions of operators, in memory: a restart ends all of them. The oldest session ends where a
 * new one would be one too many. Thread-safe.
 */
final class Sessions {

  /** Sessions at once. */
  static final int MAX = 100;

  /** The length of a session, however much it is used. */
  static final Duration LIFETIME = Duration.ofHours(12);

  private final Map<String, Session> byId = new LinkedHashMap<>();
  private final RandomGenerator random;
  private final Clock clock;

  Sessions(RandomGenerator random, Clock clock) {
    this.random = random;
    this.clock = clock;
  }

  /** A new session under a host. */
  synchronized Session begin(String host) {
    Session session =
        new Session(
            RandomToken.next(random),
            RandomToken.next(random),
            host,
            clock.instant().plus(LIFETIME));
    Iterator<Session> oldestFirst = byId.values().iterator();
    while (byId.size() >= MAX && oldestFirst.hasNext()) {
      oldestFirst.next();
      oldestFirst.remove();
    }
    byId.put(session.id(), session);
    return session;
  }

  /** The session of an id that has not ended, under the host at which it began. */
  synchronized Optional<Session> find(String id, String host) {
    Session session = byId.get(id);
    if (session == null) {
      return Optional.empty();
    }
    if (!session.until().isAfter(clock.instant())) {
      byId.remove(id);
      return Optional.empty();
    }
    return Optional.of(session).filter(one -> one.host().equals(host));
  }

  /** Ends a session, if there is one of that id. */
  synchronized void end(String id) {
    byId.remove(id);
  }
}
