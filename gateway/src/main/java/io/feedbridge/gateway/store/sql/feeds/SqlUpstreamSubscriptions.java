package io.feedbridge.gateway.store.sql.feeds;

import static io.feedbridge.gateway.store.sql.database.Rows.millis;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.NamedHub;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.DueRows;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The gateway's own subscriptions as SQL. */
public final class SqlUpstreamSubscriptions implements UpstreamSubscriptions {

  private final Database database;

  public SqlUpstreamSubscriptions(Database database) {
    this.database = database;
  }

  @Override
  public List<Choice> toChoose(int limit) {
    return database.read(handle -> UpstreamReads.toChoose(handle, limit));
  }

  @Override
  public CompletableFuture<Void> choose(
      Choice choice, List<UpstreamSubscription> begun, List<UpstreamSubscription> changed) {
    return database.change(
        (handle, effects) -> {
          begun.forEach(following -> insert(handle, following));
          changed.forEach(
              following -> update(handle, following, Set.of(UpstreamSubscription.State.values())));
          handle
              .createUpdate("UPDATE feed SET chosen_revision = :revision WHERE id = :id")
              .bind("revision", choice.revision())
              .bind("id", choice.feed().id())
              .execute();
          effects.add(Effect.FOLLOWING);
        });
  }

  @Override
  public List<UpstreamSubscription> ofFeed(long feedId) {
    return database.read(handle -> UpstreamReads.ofFeed(handle, feedId));
  }

  @Override
  public Optional<UpstreamSubscription> byToken(String token) {
    return called(token).map(Called::subscription);
  }

  @Override
  public Optional<Called> called(String token) {
    return database.read(handle -> UpstreamReads.called(handle, token));
  }

  @Override
  public Map<String, String> namesAtClouds(int limit) {
    return database.read(handle -> UpstreamReads.namesAtClouds(handle, limit));
  }

  @Override
  public List<UpstreamSubscription> due(Instant now, Set<String> passedHosts, int limit) {
    return due("NOT IN", now, passedHosts, limit);
  }

  @Override
  public List<UpstreamSubscription> dueAt(Instant now, Set<String> hosts, int limit) {
    return due("IN", now, hosts, limit);
  }

  private List<UpstreamSubscription> due(String among, Instant now, Set<String> hosts, int limit) {
    return new DueRows(database, "following", "next_action_at")
        .read(
            now, (handle, damaged) -> UpstreamReads.due(handle, damaged, among, now, hosts, limit));
  }

  @Override
  public Optional<Instant> nextDue(Instant now) {
    return database.read(handle -> UpstreamReads.nextDue(handle, now));
  }

  @Override
  public CompletableFuture<Integer> spreadRenewals(
      Instant now, int perTick, Duration tick, Duration margin) {
    return database.write(
        (handle, effects) -> {
          effects.add(Effect.FOLLOWING);
          return handle
              .createUpdate(
                  """
                  UPDATE following SET next_action_at = :now + due.number / :perTick * :tick
                  FROM (
                    SELECT id, lease_ends_at,
                      ROW_NUMBER() OVER (ORDER BY lease_ends_at, id) - 1 AS number
                    FROM following
                    WHERE state = :active AND next_action_at <= :now) AS due
                  WHERE following.id = due.id AND due.number >= :perTick
                    AND due.lease_ends_at > :now + due.number / :perTick * :tick + :margin
                  """)
              .bind("now", now.toEpochMilli())
              .bind("perTick", perTick)
              .bind("tick", tick.toMillis())
              .bind("margin", margin.toMillis())
              .bind("active", UpstreamSubscription.State.ACTIVE.name())
              .execute();
        });
  }

  @Override
  public CompletableFuture<Integer> lapse(Set<String> hosts, Instant now) {
    return database.write(
        (handle, effects) -> {
          List<Long> feeds =
              handle
                  .createQuery(
                      """
                      UPDATE following SET
                        state = 'REQUESTING', lease_ends_at = NULL, next_action_at = :now,
                        attempts = 0, reason = :reason,
                        trust = CASE WHEN json_valid(trust)
                          THEN json_remove(trust, '$.liveSince') ELSE trust END
                      WHERE kind = :kind AND state IN ('ACTIVE', 'RENEWING')
                        AND lease_ends_at <= :now
                        AND host IN (SELECT value FROM json_each(:hosts))
                      RETURNING feed_id
                      """)
                  .bind("now", now.toEpochMilli())
                  .bind("reason", LAPSED)
                  .bind("kind", UpstreamSubscription.Kind.WEBSUB.name())
                  .bind("hosts", Json.text(hosts))
                  .mapTo(Long.class)
                  .list();
          feeds.forEach(feed -> chooseAgain(handle, effects, feed));
          return feeds.size();
        });
  }

  @Override
  public CompletableFuture<Integer> reachedAt(String publicUrl, Instant now) {
    return database.write(
        (handle, effects) -> {
          Optional<String> before =
              handle.createQuery("SELECT public_url FROM reached").mapTo(String.class).findOne();
          handle
              .createUpdate(
                  """
                  INSERT INTO reached (id, public_url) VALUES (1, :url)
                  ON CONFLICT (id) DO UPDATE SET public_url = excluded.public_url
                  """)
              .bind("url", publicUrl)
              .execute();
          // A store of before this was written down says nothing of a change.
          if (before.filter(url -> !url.equals(publicUrl)).isEmpty()) {
            return 0;
          }
          effects.add(Effect.FOLLOWING);
          return handle
              .createUpdate(
                  """
                  UPDATE following SET next_action_at = :now WHERE state IN (:active, :renewing)
                  """)
              .bind("now", now.toEpochMilli())
              .bind("active", UpstreamSubscription.State.ACTIVE.name())
              .bind("renewing", UpstreamSubscription.State.RENEWING.name())
              .execute();
        });
  }

  /** Has the registrations of a feed at clouds renewed now; whether there is one. */
  static boolean renewAtClouds(Handle handle, long feedId, Instant now) {
    return handle
            .createUpdate(
                """
                UPDATE following SET next_action_at = :now
                WHERE feed_id = :feed AND kind = :kind AND state = :active
                """)
            .bind("now", now.toEpochMilli())
            .bind("feed", feedId)
            .bind("kind", UpstreamSubscription.Kind.RSSCLOUD.name())
            .bind("active", UpstreamSubscription.State.ACTIVE.name())
            .execute()
        > 0;
  }

  @Override
  public CompletableFuture<Boolean> move(UpstreamSubscription.State from, UpstreamSubscription to) {
    return database.write(
        (handle, effects) -> {
          effects.add(Effect.FOLLOWING);
          return update(handle, to, Set.of(from)) == 1;
        });
  }

  @Override
  public CompletableFuture<Boolean> moveAndChoose(
      UpstreamSubscription.State from, UpstreamSubscription to) {
    return moveAndChoose(from, to, handle -> Upstreams.confirmed(handle, to));
  }

  private CompletableFuture<Boolean> moveAndChoose(
      UpstreamSubscription.State from, UpstreamSubscription to, Consumer<Handle> next) {
    return database.write(
        (handle, effects) -> {
          boolean moved = update(handle, to, Set.of(from)) == 1;
          if (moved) {
            chooseAgain(handle, effects, to.feedId());
            next.accept(handle);
          }
          return moved;
        });
  }

  @Override
  public CompletableFuture<Void> nameHub(long feedId, UnaryOperator<@Nullable NamedHub> change) {
    return database.change(
        (handle, effects) -> {
          NamedHub named =
              change.apply(FeedReads.byId(handle, feedId).map(FollowedFeed::named).orElse(null));
          handle
              .createUpdate("UPDATE feed SET named_hub = :hub, named_topic = :topic WHERE id = :id")
              .bind("id", feedId)
              .bind("hub", named == null ? null : named.hub())
              .bind("topic", named == null ? null : named.topic())
              .execute();
          chooseAgain(handle, effects, feedId);
        });
  }

  @Override
  public CompletableFuture<Void> chooseAgain(long feedId) {
    return database.change((handle, effects) -> chooseAgain(handle, effects, feedId));
  }

  private static void chooseAgain(Handle handle, Set<Effect> effects, long feedId) {
    chooseAgain(handle, feedId);
    effects.add(Effect.FOLLOWING);
  }

  /** {@link #chooseAgain} as part of a larger transaction. */
  public static void chooseAgain(Handle handle, long feedId) {
    handle
        .createUpdate("UPDATE feed SET revision = revision + 1 WHERE id = :id")
        .bind("id", feedId)
        .execute();
  }

  @Override
  public CompletableFuture<Boolean> refuse(
      UpstreamSubscription.State from, UpstreamSubscription to, Instant now) {
    return moveAndChoose(from, to, handle -> Upstreams.refused(handle, to, now));
  }

  @Override
  public CompletableFuture<Boolean> delivered(long id, boolean signed, Instant now) {
    return database.write(
        (handle, effects) -> {
          Optional<UpstreamSubscription> found =
              handle
                  .createQuery("SELECT * FROM following WHERE id = :id AND secret IS NOT NULL")
                  .bind("id", id)
                  .map((row, context) -> Rows.following(row, context))
                  .findOne()
                  .filter(following -> following.state().isLive());
          if (found.isEmpty()) {
            return false;
          }
          Trust before = found.get().trust();
          UpstreamSubscription after =
              found.get().trusted(signed ? before.signing() : before.unsignedAgain());
          boolean again = after.trust().neverSigns();
          update(handle, again ? after.withoutSecret(now) : after, Set.of(after.state()));
          if (again) {
            effects.add(Effect.FOLLOWING);
          }
          return again;
        });
  }

  @Override
  public CompletableFuture<Void> remove(long id) {
    return database.change(
        (handle, effects) ->
            handle.createUpdate("DELETE FROM following WHERE id = :id").bind("id", id).execute());
  }

  @Override
  public CompletableFuture<Void> beginAnew(
      UpstreamSubscription refused, UpstreamSubscription fresh) {
    return database.change(
        (handle, effects) -> {
          int removed =
              handle
                  .createUpdate("DELETE FROM following WHERE id = :id AND state = :refused")
                  .bind("id", refused.id())
                  .bind("refused", UpstreamSubscription.State.REFUSED.name())
                  .execute();
          if (removed > 0) {
            insert(handle, fresh);
          }
          chooseAgain(handle, effects, refused.feedId());
        });
  }

  private static void insert(Handle handle, UpstreamSubscription following) {
    String secret = following.secret();
    String sealed =
        secret == null
            ? null
            : Sealing.of(handle).seal(secret, Rows.FOLLOWING, following.token()).text();
    handle
        .createUpdate(
            """
            INSERT INTO following
              (feed_id, kind, endpoint, topic, token, secret, state, lease_ends_at, next_action_at,
               attempts, reason, trust)
            VALUES
              (:feed, :kind, :endpoint, :topic, :token, :secret, :state, :lease, :next,
               :attempts, :reason, :trust)
            """)
        .bind("feed", following.feedId())
        .bind("kind", following.kind().name())
        .bind("endpoint", following.endpoint())
        .bind("topic", following.topic())
        .bind("token", following.token())
        .bind("secret", sealed)
        .bind("state", following.state().name())
        .bind("lease", millis(following.leaseEndsAt()))
        .bind("next", following.nextActionAt().toEpochMilli())
        .bind("attempts", following.attempts())
        .bind("reason", following.reason())
        .bind("trust", Json.text(following.trust()))
        .execute();
  }

  /** Updates an upstream subscription. Its secret is never replaced, only kept or dropped. */
  static int update(Handle handle, UpstreamSubscription to, Set<UpstreamSubscription.State> from) {
    return handle
        .createUpdate(
            """
            UPDATE following SET
              topic = :topic, secret = CASE WHEN :signed = 1 THEN secret END, state = :state, lease_ends_at = :lease, next_action_at = :next,
              attempts = :attempts, reason = :reason, trust = :trust
            WHERE id = :id AND state IN (<from>)
            """)
        .bind("id", to.id())
        .bind("topic", to.topic())
        .bind("signed", to.secret() != null)
        .bind("state", to.state().name())
        .bind("lease", millis(to.leaseEndsAt()))
        .bind("next", to.nextActionAt().toEpochMilli())
        .bind("attempts", to.attempts())
        .bind("reason", to.reason())
        .bind("trust", Json.text(to.trust()))
        .bindList("from", from.stream().map(Enum::name).toList())
        .execute();
  }
}
