package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Journal.Line;
import io.feedbridge.gateway.crash.Snapshot.FeedRow;
import io.feedbridge.gateway.crash.Snapshot.Subscribed;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * What a gateway may ask of others in the first moments after a start: what was due by then, what
 * it was told meanwhile, and no more.
 */
final class Starts {

  /** What a crash may double per round, beside what is in flight (rule L16). */
  private static final int CHECKPOINT_INTERVAL = 1_000;

  private static final int CONNECTIONS_PER_HOST = 32;

  /** Of the feeds that are polled; see {@link Arena}. */
  private static final long POLL_MILLIS = 2_000;

  private final Snapshot left;
  private final long launchedAt;
  private final Map<String, Integer> promised = new HashMap<>();
  private final Map<String, Integer> deliveries = new HashMap<>();
  private int wanted;

  Starts(Snapshot left, long launchedAt) {
    this.left = left;
    this.launchedAt = launchedAt;
  }

  void read(Line line) {
    if (line.fact() instanceof Fact.Promised promise) {
      promised.merge(promise.topic().url(), 1, Integer::sum);
    } else if (line.fact() instanceof Fact.Arrived arrived) {
      deliveries.merge(arrived.follower().host().url(), 1, Integer::sum);
    } else if (line.fact() instanceof Fact.Wanted) {
      wanted++;
    }
  }

  /**
   * Judges what was counted.
   *
   * @param unanswered publishes by topic that the gateway may have taken without an answer
   */
  void check(
      Line line,
      Fact.Called called,
      Map<String, Integer> unanswered,
      BiConsumer<Rule, String> broken) {
    if (left.subscriptions().isEmpty()) {
      return;
    }
    long now = line.millis();
    Map<String, Integer> news = news(now, unanswered);
    compare("fetches", called.origin(), fetches(now, news), broken);
    long acting = left.upstreamSubscriptions().stream().filter(at -> at <= now).count();
    compare("calls of hub and cloud", called.hub() + called.cloud(), acting + wanted, broken);
    Map<String, Long> dueByHost = new HashMap<>();
    for (Subscribed subscribed : left.subscriptions().values()) {
      long may = due(subscribed, now) + news.getOrDefault(subscribed.topic(), 0);
      dueByHost.merge(subscribed.host(), may, Long::sum);
    }
    deliveries.forEach(
        (host, count) -> {
          if (dueByHost.containsKey(host)) {
            compare("deliveries to " + host, count, dueByHost.get(host) + wanted, broken);
          }
        });
  }

  private static void compare(String what, long count, long due, BiConsumer<Rule, String> broken) {
    if (count > due) {
      broken.accept(Rule.BURST, "%d %s, and %d were due".formatted(count, what, due));
    }
  }

  /** Events that each topic may have got since. */
  private Map<String, Integer> news(long now, Map<String, Integer> unanswered) {
    Map<String, Integer> news = new HashMap<>();
    left.feeds()
        .forEach(
            (topic, feed) ->
                news.put(
                    topic,
                    feed.works()
                        + promised.getOrDefault(topic, 0)
                        + unanswered.getOrDefault(topic, 0)
                        + polls(feed, now)));
    return news;
  }

  private int polls(FeedRow feed, long now) {
    boolean due = feed.nextFetchAt() > 0 && feed.nextFetchAt() <= now;
    return due ? 1 + (int) ((now - launchedAt) / POLL_MILLIS) : 0;
  }

  /** A ping costs one fetch, or two; so does a topic that is new. */
  private long fetches(long now, Map<String, Integer> news) {
    long fetches = 2L * wanted;
    for (Map.Entry<String, FeedRow> feed : left.feeds().entrySet()) {
      int polls = polls(feed.getValue(), now);
      fetches += polls + 2L * (news.getOrDefault(feed.getKey(), 0) - polls);
    }
    return fetches;
  }

  /** Documents that one subscription was behind by: two, if a round and more wait. */
  private long due(Subscribed subscribed, long now) {
    Snapshot.Lag lag = subscribed.lag();
    if (lag != null) {
      boolean due = lag.nextAttemptAt() > 0 && lag.nextAttemptAt() <= now;
      return lag.inFlight() || due ? 2 : 0;
    }
    FeedRow feed = left.feeds().get(subscribed.topic());
    boolean inRound = feed != null && feed.checkpoint() >= 0 && subscribed.id() > feed.checkpoint();
    long next = feed != null && feed.behind() ? 1 : 0;
    return inRound ? next + 1 : next;
  }

  /**
   * Whether a delivery to one may be repeated: because it is past the checkpoint of an open round,
   * or has a row with something that it has not taken, as far as the row says.
   */
  static boolean mayComeTwice(Snapshot left, Subscribed subscribed) {
    Snapshot.Lag lag = subscribed.lag();
    FeedRow feed = left.feeds().get(subscribed.topic());
    return lag != null
        ? lag.sentTo() > 0 || lag.nextAttemptAt() > 0
        : feed != null && feed.checkpoint() >= 0 && subscribed.id() > feed.checkpoint();
  }

  /**
   * How many deliveries may be repeated: of those who may get one, per open round at most one
   * interval and those in flight.
   */
  static long mayComeTwice(Snapshot left) {
    long may = 0;
    Map<String, Long> beyond = new HashMap<>();
    Map<String, Set<String>> hosts = new HashMap<>();
    for (Subscribed subscribed : left.subscriptions().values()) {
      if (!mayComeTwice(left, subscribed)) {
        continue;
      }
      if (subscribed.lag() != null) {
        may++;
      } else {
        beyond.merge(subscribed.topic(), 1L, Long::sum);
        hosts.computeIfAbsent(subscribed.topic(), topic -> new HashSet<>()).add(subscribed.host());
      }
    }
    for (Map.Entry<String, Long> topic : beyond.entrySet()) {
      long inFlight =
          (long) CONNECTIONS_PER_HOST * hosts.getOrDefault(topic.getKey(), Set.of()).size();
      may += Math.min(topic.getValue(), CHECKPOINT_INTERVAL + inFlight);
    }
    return may;
  }
}
