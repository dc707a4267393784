package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Fact.Kept;
import io.feedbridge.gateway.crash.Fact.Logged;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How the topic in Kafka compares with the log.
 *
 * @param events of the log
 * @param skipped numbers below the head that the log itself has not: a commit that fails uses up
 *     its numbers on PostgreSQL
 * @param missing events of the log that are not in the topic
 * @param doubled records beyond the first of an event, or of an id
 * @param disordered records behind a later event of their feed
 * @param wrong records of events that the log does not have, or has of another feed, or whose id
 *     does not fit
 */
record TopicFigures(int events, long skipped, int missing, int doubled, int disordered, int wrong) {

  /** Where there is no topic. */
  static final TopicFigures NONE = new TopicFigures(0, 0, 0, 0, 0, 0);

  /**
   * Compares.
   *
   * @param broken takes each finding, in words
   */
  static TopicFigures of(Fact.TopicRead read, Consumer<String> broken) {
    Map<Long, Logged> log = new LinkedHashMap<>();
    read.log().forEach(event -> log.put(event.seq(), event));
    long head = read.log().stream().mapToLong(Logged::seq).max().orElse(0);
    Set<Long> seen = new HashSet<>();
    Set<String> ids = new HashSet<>();
    Map<String, Long> last = new HashMap<>();
    Set<String> logs = new HashSet<>();
    int doubled = 0;
    int disordered = 0;
    int wrong = 0;
    for (Kept kept : read.topic()) {
      Logged event = kept.event();
      String suffix = "-" + event.seq();
      boolean fits = kept.id().endsWith(suffix);
      logs.add(fits ? kept.id().substring(0, kept.id().length() - suffix.length()) : kept.id());
      if (!fits || !event.equals(log.get(event.seq()))) {
        wrong++;
        broken.accept("%s is not of the log's %s".formatted(kept, log.get(event.seq())));
      }
      boolean again = !seen.add(event.seq());
      if (!ids.add(kept.id()) || again) {
        doubled++;
        broken.accept(kept + " was there before");
      } else if (last.merge(event.feed(), event.seq(), Math::max) > event.seq()) {
        disordered++;
        broken.accept(kept + " is behind a later event of its feed");
      }
    }
    if (logs.size() > 1) {
      broken.accept("ids begin with each of " + logs);
    }
    log.keySet().removeAll(seen);
    log.values().forEach(event -> broken.accept(event + " is not in the topic"));
    return new TopicFigures(
        read.log().size(), head - read.log().size(), log.size(), doubled, disordered, wrong);
  }

  @Override
  public String toString() {
    return "%d events of the log (which skips %d numbers): %d missing, %d doubled, %d out of order, %d wrong"
        .formatted(events, skipped, missing, doubled, disordered, wrong);
  }
}
