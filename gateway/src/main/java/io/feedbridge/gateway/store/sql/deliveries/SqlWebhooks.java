package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.SubscriptionQueries;
import io.feedbridge.gateway.store.Webhook;
import io.feedbridge.gateway.store.Webhooks;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.DueRows;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The endpoints of JSON webhooks as SQL. */
public final class SqlWebhooks implements Webhooks {

  private final Database database;

  public SqlWebhooks(Database database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<Optional<Webhook>> create(
      Webhook.Terms terms, String tag, String secret, boolean verified, Instant now) {
    return database.write(
        (handle, effects) -> {
          int count = handle.createQuery("SELECT COUNT(*) FROM webhook").mapTo(Integer.class).one();
          if (count >= MAX) {
            return Optional.empty();
          }
          Sealing sealing = Sealing.of(handle);
          long id =
              handle
                  .createQuery(
                      """
                      INSERT INTO webhook
                        (tag, url, host, every_feed, filter, description, secret, retired, state, verified,
                         next_attempt_at, created_at)
                      VALUES
                        (:tag, :url, :host, :all, :filter, :description, :secret, :retired, :state, :verified,
                         :next, :now)
                      RETURNING id
                      """)
                  .bind("tag", tag)
                  .bind("url", terms.url())
                  .bind("host", CallbackHost.of(terms.url()))
                  .bind("all", terms.topics().isEmpty())
                  .bind("filter", terms.filter())
                  .bind("description", terms.description())
                  .bind("secret", sealing.seal(secret, Sealing.WEBHOOK, tag).text())
                  .bind(
                      "retired",
                      sealing.seal(WebhookRows.NONE_RETIRED, Sealing.WEBHOOK_RETIRED, tag).text())
                  .bind("state", (verified ? Webhook.State.ACTIVE : Webhook.State.PENDING).name())
                  .bind("verified", verified)
                  .bind("next", verified ? null : now.toEpochMilli())
                  .bind("now", now.toEpochMilli())
                  .mapTo(Long.class)
                  .one();
          WebhookTopics.add(handle, effects, id, terms.topics(), now);
          if (verified) {
            SqlConsumers.create(handle, Webhook.consumer(id), now);
          }
          effects.add(Effect.WEBHOOK);
          return WebhookRows.find(handle, id);
        });
  }

  @Override
  public Optional<Webhook> byId(long id) {
    return database.read(handle -> handle.inTransaction(at -> WebhookRows.find(at, id)));
  }

  @Override
  public List<Webhook> list(Filter filter, long afterId, int limit) {
    return database.read(
        handle -> handle.inTransaction(at -> WebhookRows.list(at, filter, afterId, limit)));
  }

  @Override
  public CompletableFuture<Optional<Webhook>> change(
      Webhook before, Webhook.Terms terms, boolean verified, Instant now) {
    long id = before.id();
    return database.write(
        (handle, effects) -> {
          Optional<Webhook> found =
              WebhookRows.find(handle, id).filter(is -> is.revision() == before.revision());
          if (found.isEmpty()) {
            return found;
          }
          Webhook is = found.get();
          boolean moved = !is.terms().url().equals(terms.url());
          boolean trusted = verified || (is.verified() && !moved);
          handle
              .createUpdate(
                  """
                  UPDATE webhook SET
                    url = :url, host = :host, every_feed = :all, filter = :filter,
                    description = :description, revision = revision + 1
                  WHERE id = :id
                  """)
              .bind("url", terms.url())
              .bind("host", CallbackHost.of(terms.url()))
              .bind("all", terms.topics().isEmpty())
              .bind("filter", terms.filter())
              .bind("description", terms.description())
              .bind("id", id)
              .execute();
          if (moved || trusted != is.verified()) {
            moved(handle, is, trusted, now);
          }
          WebhookTopics.replace(handle, effects, id, terms.topics(), now);
          effects.add(Effect.WEBHOOK);
          return WebhookRows.find(handle, id);
        });
  }

  /**
   * Sets the state of an endpoint with another URL: the URL is to be verified unless it is trusted,
   * and a disabled endpoint stays disabled. Pauses and failures of the previous URL do not count
   * for the new one.
   */
  private static void moved(Handle handle, Webhook is, boolean trusted, Instant now) {
    boolean disabled = is.state() == Webhook.State.DISABLED;
    Webhook.State state = trusted ? Webhook.State.ACTIVE : Webhook.State.PENDING;
    handle
        .createUpdate(
            """
            UPDATE webhook SET
              verified = :verified, state = :state, reason = :reason, attempts = 0,
              next_attempt_at = :next, failing_since = NULL
            WHERE id = :id
            """)
        .bind("verified", trusted)
        .bind("state", (disabled ? Webhook.State.DISABLED : state).name())
        .bind("reason", disabled ? is.reason() : null)
        .bind("next", disabled || trusted ? null : now.toEpochMilli())
        .bind("id", is.id())
        .execute();
    handle
        .createUpdate(
            """
            UPDATE consumer SET attempts = 0, next_attempt_at = :now, error = NULL
            WHERE name = :name
            """)
        .bind("now", now.toEpochMilli())
        .bind("name", Webhook.consumer(is.id()))
        .execute();
    if (!disabled && trusted) {
      begin(handle, is.id(), now);
    }
  }

  /** It is served from now on: from the end of the log, or at once from where it was. */
  private static void begin(Handle handle, long id, Instant now) {
    SqlConsumers.create(handle, Webhook.consumer(id), now);
    handle
        .createUpdate("UPDATE consumer SET next_attempt_at = :now WHERE name = :name")
        .bind("now", now.toEpochMilli())
        .bind("name", Webhook.consumer(id))
        .execute();
  }

  @Override
  public CompletableFuture<Boolean> remove(long id, Instant now) {
    return database.write(
        (handle, effects) -> {
          WebhookTopics.replace(handle, effects, id, List.of(), now);
          handle
              .createUpdate("DELETE FROM consumer WHERE name = :name")
              .bind("name", Webhook.consumer(id))
              .execute();
          effects.add(Effect.WEBHOOK);
          return handle.createUpdate("DELETE FROM webhook WHERE id = :id").bind("id", id).execute()
              == 1;
        });
  }

  @Override
  public CompletableFuture<Optional<Webhook>> rotate(long id, String secret, Instant now) {
    return database.write(
        (handle, effects) -> {
          Optional<Webhook> before = WebhookRows.find(handle, id);
          if (before.isEmpty()) {
            return before;
          }
          List<Webhook.Retired> retired = new ArrayList<>();
          retired.add(new Webhook.Retired(before.get().secret(), now.plus(OVERLAP)));
          before.get().retired().stream()
              .filter(old -> old.until().isAfter(now))
              .forEach(retired::add);
          if (retired.size() > MAX_RETIRED) {
            return Optional.empty();
          }
          Sealing sealing = Sealing.of(handle);
          String tag = before.get().tag();
          handle
              .createUpdate(
                  """
                  UPDATE webhook SET secret = :secret, retired = :retired, revision = revision + 1
                  WHERE id = :id
                  """)
              .bind("secret", sealing.seal(secret, Sealing.WEBHOOK, tag).text())
              .bind(
                  "retired", sealing.seal(Json.text(retired), Sealing.WEBHOOK_RETIRED, tag).text())
              .bind("id", id)
              .execute();
          effects.add(Effect.WEBHOOK);
          return WebhookRows.find(handle, id);
        });
  }

  @Override
  public CompletableFuture<Optional<Webhook>> enable(long id, Instant now) {
    return database.write(
        (handle, effects) -> {
          int enabled =
              handle
                  .createUpdate(
                      """
                      UPDATE webhook SET
                        state = CASE WHEN verified = 1 THEN 'ACTIVE' ELSE 'PENDING' END,
                        reason = NULL, attempts = 0, failing_since = NULL, revision = revision + 1,
                        next_attempt_at = CASE WHEN verified = 1 THEN NULL ELSE :now END
                      WHERE id = :id AND state <> 'ACTIVE'
                      """)
                  .bind("now", now.toEpochMilli())
                  .bind("id", id)
                  .execute();
          Optional<Webhook> webhook = WebhookRows.find(handle, id);
          if (enabled == 1) {
            effects.add(Effect.WEBHOOK);
            webhook
                .filter(one -> one.state() == Webhook.State.ACTIVE)
                .ifPresent(one -> begin(handle, id, now));
          }
          return webhook;
        });
  }

  @Override
  public CompletableFuture<Optional<Webhook>> disable(long id, String reason, Instant now) {
    return database.write(
        (handle, effects) -> {
          handle
              .createUpdate(
                  """
                  UPDATE webhook SET
                    state = 'DISABLED', reason = :reason, next_attempt_at = NULL,
                    revision = revision + 1
                  WHERE id = :id AND state <> 'DISABLED'
                  """)
              .bind("reason", reason)
              .bind("id", id)
              .execute();
          effects.add(Effect.WEBHOOK);
          return WebhookRows.find(handle, id);
        });
  }

  @Override
  public CompletableFuture<Boolean> disableAsCalled(Webhook called, String reason, Instant now) {
    return database.write(
        (handle, effects) -> {
          effects.add(Effect.WEBHOOK);
          return handle
                  .createUpdate(
                      """
                      UPDATE webhook SET
                        state = 'DISABLED', reason = :reason, next_attempt_at = NULL,
                        revision = revision + 1
                      WHERE id = :id AND revision = :revision AND state = 'ACTIVE'
                      """)
                  .bind("reason", reason)
                  .bind("id", called.id())
                  .bind("revision", called.revision())
                  .execute()
              == 1;
        });
  }

  @Override
  public Map<Long, Long> active() {
    return database.read(WebhookRows::active);
  }

  @Override
  public CompletableFuture<Void> failing(Webhook called, @Nullable Instant since) {
    return database.changePatiently(
        (handle, effects) -> {
          handle
              .createUpdate(
                  """
                  UPDATE webhook SET failing_since = :since
                  WHERE id = :id AND url = :url AND state = 'ACTIVE'
                  """)
              .bind("since", Rows.millis(since))
              .bind("id", called.id())
              .bind("url", called.terms().url())
              .execute();
        });
  }

  @Override
  public List<Long> failingSinceBefore(Instant time, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id FROM webhook WHERE failing_since < :time AND state = 'ACTIVE'
                    ORDER BY failing_since LIMIT :limit
                    """)
                .bind("time", time.toEpochMilli())
                .bind("limit", limit)
                .mapTo(Long.class)
                .list());
  }

  @Override
  public Optional<SubscriptionQueries.Behind> behind(Webhook webhook) {
    return database.read(handle -> handle.inTransaction(at -> WebhookRows.behind(at, webhook)));
  }

  @Override
  public List<Webhook> due(Instant now, Set<String> passedHosts, int limit) {
    return new DueRows(database, "webhook", "next_attempt_at")
        .read(
            now,
            (handle, damaged) ->
                handle.inTransaction(at -> WebhookRows.due(at, now, passedHosts, limit, damaged)));
  }

  @Override
  public Optional<Instant> nextDue(Instant now) {
    return database.read(handle -> WebhookRows.nextDue(handle, now));
  }

  @Override
  public CompletableFuture<Boolean> confirm(Webhook webhook, Instant now) {
    return database.write(
        (handle, effects) -> {
          int confirmed =
              handle
                  .createUpdate(
                      """
                      UPDATE webhook SET
                        state = 'ACTIVE', verified = 1, reason = NULL, attempts = 0,
                        next_attempt_at = NULL, failing_since = NULL, revision = revision + 1
                      WHERE id = :id AND revision = :revision AND state = 'PENDING'
                      """)
                  .bind("id", webhook.id())
                  .bind("revision", webhook.revision())
                  .execute();
          if (confirmed == 1) {
            begin(handle, webhook.id(), now);
            effects.add(Effect.WEBHOOK);
          }
          return confirmed == 1;
        });
  }

  @Override
  public CompletableFuture<Void> unconfirmed(
      Webhook webhook, String reason, @Nullable Instant again) {
    return database.change(
        (handle, effects) -> {
          handle
              .createUpdate(
                  """
                  UPDATE webhook SET
                    reason = :reason, attempts = attempts + 1, next_attempt_at = :again
                  WHERE id = :id AND revision = :revision AND state = 'PENDING'
                  """)
              .bind("reason", reason)
              .bind("again", Rows.millis(again))
              .bind("id", webhook.id())
              .bind("revision", webhook.revision())
              .execute();
          effects.add(Effect.WEBHOOK);
        });
  }
}
