package io.feedbridge.gateway.sqlite;

import static io.feedbridge.gateway.sqlite.Rows.millis;

import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.Followings;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.Trust;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/** The gateway's own subscriptions in SQLite. */
final class SqliteFollowings implements Followings {

  private final SqliteDatabase database;

  SqliteFollowings(SqliteDatabase database) {
    this.database = database;
  }

  @Override
  public List<Choice> toChoose(int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM feed
                    WHERE revision > chosen_revision AND (first_fetch_at IS NOT NULL OR followed = 0)
                    ORDER BY id LIMIT :limit
                    """)
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new Choice(
                            Rows.feed(row),
                            row.getLong("revision"),
                            ofFeed(handle, row.getLong("id"))))
                .list());
  }

  @Override
  public CompletableFuture<Void> choose(
      Choice choice, List<Following> begun, List<Following> changed) {
    return database.change(
        (handle, effects) -> {
          begun.forEach(following -> insert(handle, following));
          changed.forEach(following -> update(handle, following, Set.of(Following.State.values())));
          handle
              .createUpdate("UPDATE feed SET chosen_revision = :revision WHERE id = :id")
              .bind("revision", choice.revision())
              .bind("id", choice.feed().id())
              .execute();
          effects.add(Effect.FOLLOWING);
        });
  }

  @Override
  public List<Following> ofFeed(long feedId) {
    return database.read(handle -> ofFeed(handle, feedId));
  }

  private static List<Following> ofFeed(Handle handle, long feedId) {
    return handle
        .createQuery("SELECT * FROM following WHERE feed_id = :feed ORDER BY id")
        .bind("feed", feedId)
        .map((row, context) -> Rows.following(row, context))
        .list();
  }

  @Override
  public Optional<Following> byToken(String token) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT * FROM following WHERE token = :token")
                .bind("token", token)
                .map((row, context) -> Rows.following(row, context))
                .findOne());
  }

  @Override
  public List<Following> due(Instant now, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT * FROM following WHERE next_action_at <= :now
                    ORDER BY next_action_at LIMIT :limit
                    """)
                .bind("now", now.toEpochMilli())
                .bind("limit", limit)
                .map((row, context) -> Rows.following(row, context))
                .list());
  }

  @Override
  public Optional<Instant> nextDue() {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT next_action_at AS at FROM following ORDER BY 1 LIMIT 1")
                .map((row, context) -> Rows.instant(row, "at"))
                .findOne());
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
              .bind("active", Following.State.ACTIVE.name())
              .execute();
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
              .bind("active", Following.State.ACTIVE.name())
              .bind("renewing", Following.State.RENEWING.name())
              .execute();
        });
  }

  @Override
  public CompletableFuture<Boolean> move(Following.State from, Following to) {
    return database.write(
        (handle, effects) -> {
          effects.add(Effect.FOLLOWING);
          return update(handle, to, Set.of(from)) == 1;
        });
  }

  @Override
  public CompletableFuture<Boolean> moveAndChoose(Following.State from, Following to) {
    return database.write(
        (handle, effects) -> {
          boolean moved = update(handle, to, Set.of(from)) == 1;
          if (moved) {
            chooseAgain(handle, effects, to.feedId());
          }
          return moved;
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
  static void chooseAgain(Handle handle, long feedId) {
    handle
        .createUpdate("UPDATE feed SET revision = revision + 1 WHERE id = :id")
        .bind("id", feedId)
        .execute();
  }

  @Override
  public CompletableFuture<Boolean> refuse(Following.State from, Following to, Instant now) {
    return database.write(
        (handle, effects) -> {
          boolean moved = update(handle, to, Set.of(from)) == 1;
          if (moved) {
            chooseAgain(handle, effects, to.feedId());
            SqliteUpstreams.refused(handle, to, now);
          }
          return moved;
        });
  }

  @Override
  public CompletableFuture<Boolean> delivered(long id, boolean signed, Instant now) {
    return database.write(
        (handle, effects) -> {
          Optional<Following> found =
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
          Following after = found.get().trusted(signed ? before.signing() : before.unsignedAgain());
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
    return database.change((handle, effects) -> remove(handle, id));
  }

  private static void remove(Handle handle, long id) {
    handle.createUpdate("DELETE FROM following WHERE id = :id").bind("id", id).execute();
  }

  @Override
  public CompletableFuture<Void> beginAnew(Following refused, Following fresh) {
    return database.change(
        (handle, effects) -> {
          int removed =
              handle
                  .createUpdate("DELETE FROM following WHERE id = :id AND state = :refused")
                  .bind("id", refused.id())
                  .bind("refused", Following.State.REFUSED.name())
                  .execute();
          if (removed > 0) {
            insert(handle, fresh);
          }
          chooseAgain(handle, effects, refused.feedId());
        });
  }

  private static void insert(Handle handle, Following following) {
    String secret = following.secret();
    String sealed =
        secret == null ? null : Sealing.of(handle).seal(secret, Rows.FOLLOWING, following.token());
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

  /** A secret stays what it was made, or is dropped. */
  static int update(Handle handle, Following to, Set<Following.State> from) {
    return handle
        .createUpdate(
            """
            UPDATE following SET
              secret = CASE WHEN :signed THEN secret END, state = :state, lease_ends_at = :lease, next_action_at = :next,
              attempts = :attempts, reason = :reason, trust = :trust
            WHERE id = :id AND state IN (<from>)
            """)
        .bind("id", to.id())
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
