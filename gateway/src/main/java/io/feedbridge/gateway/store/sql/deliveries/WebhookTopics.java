package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.feeds.FollowedFeeds;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/** The feeds that endpoints name, as parts of larger transactions. */
final class WebhookTopics {

  private WebhookTopics() {}

  /** Follows feeds for an endpoint, each from its newest event on (rule L6). */
  static void add(Handle handle, Set<Effect> effects, long id, List<String> topics, Instant now) {
    for (String topic : topics) {
      FollowedFeed feed = FollowedFeeds.follow(handle, effects, topic, now);
      handle
          .createUpdate(
              """
              INSERT INTO webhook_topic (webhook_id, feed_id, start)
              SELECT :webhook, id, head FROM feed WHERE id = :feed
              ON CONFLICT (webhook_id, feed_id) DO NOTHING
              """)
          .bind("webhook", id)
          .bind("feed", feed.id())
          .execute();
    }
  }

  /** Replaces the feeds of an endpoint; feeds that it keeps stay as they are. */
  static void replace(
      Handle handle, Set<Effect> effects, long id, List<String> topics, Instant now) {
    Map<String, Long> before = new HashMap<>();
    handle
        .createQuery(
            """
            SELECT f.topic, f.id FROM webhook_topic t JOIN feed f ON f.id = t.feed_id
            WHERE t.webhook_id = :id
            """)
        .bind("id", id)
        .map((row, context) -> Map.entry(row.getString("topic"), row.getLong("id")))
        .forEach(topic -> before.put(topic.getKey(), topic.getValue()));
    Set<String> wanted = new HashSet<>(topics);
    add(
        handle,
        effects,
        id,
        topics.stream().filter(topic -> !before.containsKey(topic)).toList(),
        now);
    before.forEach(
        (topic, feed) -> {
          if (!wanted.contains(topic)) {
            handle
                .createUpdate(
                    "DELETE FROM webhook_topic WHERE webhook_id = :id AND feed_id = :feed")
                .bind("id", id)
                .bind("feed", feed)
                .execute();
            FollowedFeeds.unfollowIfUnused(handle, effects, feed);
          }
        });
  }
}
