package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.Behind;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.DueRows;
import io.feedbridge.gateway.store.sql.database.Effect;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Endpoints that receive JSON. Each active endpoint has a consumer ({@link Webhook#consumer}) with
 * a cursor of its own. The feeds that an endpoint names are followed as long as the endpoint
 * exists.
 */
public final class Webhooks {

  /** Endpoints in all. */
  public static final int MAX = 10_000;

  /** Feeds that one endpoint may name. */
  public static final int MAX_TOPICS = 1_000;

  /** How long a secret that was replaced is valid beside the new one. */
  public static final Duration OVERLAP = Duration.ofHours(24);

  /** Secrets that are valid beside the newest. */
  public static final int MAX_RETIRED = 4;

  /** The highest count of missed events of one endpoint. */
  public static final int MAX_COUNTED = 10_000;

  private final Database database;

  public Webhooks(Database database) {
    this.database = database;
  }

  /**
   * Adds an endpoint and follows the feeds that it names. A verified endpoint begins at the end of
   * the log; any other is due to be verified at once.
   *
   * @return the new endpoint; empty if there are {@link #MAX} already
   */
  public CompletableFuture<Optional<Webhook>> create(
      Webhook.Terms terms, String tag, String secret, boolean verified, Instant now) {
    return database.write(
        (handle, effects) -> {
          int count = handle.createQuery("SELECT COUNT(*) FROM webhook").mapTo(Integer.class).one();
          if (count >= MAX) {
            return Optional.empty();
          }
          long id = WebhookSteps.insert(handle, terms, tag, secret, verified, now);
          WebhookTopics.add(handle, effects, id, terms.topics(), now);
          if (verified) {
            Consumers.create(handle, Webhook.consumer(id), now);
          }
          effects.add(Effect.WEBHOOK);
          return WebhookRows.find(handle, id);
        });
  }

  public Optional<Webhook> byId(long id) {
    return database.read(handle -> handle.inTransaction(at -> WebhookRows.find(at, id)));
  }

  /**
   * The endpoints that match, in the order of their ids, after the given id.
   *
   * @param skip endpoints to pass over
   */
  public List<Webhook> list(WebhookFilter filter, long afterId, long skip, int limit) {
    return database.read(
        handle -> handle.inTransaction(at -> WebhookRows.list(at, filter, afterId, skip, limit)));
  }

  /** How many endpoints match. */
  public long count(WebhookFilter filter) {
    return database.read(handle -> WebhookRows.count(handle, filter));
  }

  /**
   * Changes the terms of an endpoint. Feeds that it names newly are followed, from their newest
   * event on; feeds that it no longer names are released. An endpoint with another URL or target
   * waits to be verified again and keeps its cursor.
   *
   * @param before the endpoint as it was read; nothing changes if its revision differs now
   * @param verified whether another receiver needs no verification
   * @return the changed endpoint; empty if it was removed or changed meanwhile
   */
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
          boolean moved = !is.terms().hasReceiverOf(terms);
          boolean trusted = verified || (is.verified() && !moved);
          WebhookSteps.update(handle, is, terms);
          if (moved || trusted != is.verified()) {
            WebhookSteps.moved(handle, is, trusted, now);
          }
          WebhookTopics.replace(handle, effects, id, terms.topics(), now);
          effects.add(Effect.WEBHOOK);
          return WebhookRows.find(handle, id);
        });
  }

  /**
   * Forgets an endpoint and its cursor, and stops following its feeds that are not wanted for
   * another reason.
   *
   * @return whether the endpoint existed
   */
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

  /**
   * Gives an endpoint a new secret.
   *
   * @param endPrevious whether the previous secrets end at once; else each stays valid for {@link
   *     #OVERLAP}
   * @return the changed endpoint; empty if it does not exist, or if {@link #MAX_RETIRED} earlier
   *     secrets would be valid beside the previous one
   */
  public CompletableFuture<Optional<Webhook>> rotate(
      long id, String secret, boolean endPrevious, Instant now) {
    return database.write(
        (handle, effects) -> {
          Optional<Webhook> before = WebhookRows.find(handle, id);
          if (before.isEmpty()) {
            return before;
          }
          List<Webhook.Retired> retired = new ArrayList<>();
          if (!endPrevious) {
            retired.add(new Webhook.Retired(before.get().secret(), now.plus(OVERLAP)));
            retired.addAll(before.get().retiredAt(now));
          }
          if (retired.size() > MAX_RETIRED) {
            return Optional.empty();
          }
          return sign(handle, effects, before.get(), secret, retired);
        });
  }

  /**
   * Ends all secrets of an endpoint but the newest at once.
   *
   * @return the changed endpoint; empty if it does not exist
   */
  public CompletableFuture<Optional<Webhook>> endPreviousSecrets(long id) {
    return database.write(
        (handle, effects) ->
            WebhookRows.find(handle, id)
                .flatMap(found -> sign(handle, effects, found, found.secret(), List.of())));
  }

  private static Optional<Webhook> sign(
      Handle handle,
      Set<Effect> effects,
      Webhook webhook,
      String secret,
      List<Webhook.Retired> retired) {
    Sealing sealing = Sealing.of(handle);
    String tag = webhook.tag();
    handle
        .createUpdate(
            """
            UPDATE webhook SET secret = :secret, retired = :retired, revision = revision + 1
            WHERE id = :id
            """)
        .bind("secret", sealing.seal(secret, Sealing.WEBHOOK, tag).text())
        .bind("retired", sealing.seal(Json.text(retired), Sealing.WEBHOOK_RETIRED, tag).text())
        .bind("id", webhook.id())
        .execute();
    effects.add(Effect.WEBHOOK);
    return WebhookRows.find(handle, webhook.id());
  }

  /**
   * Makes a disabled endpoint active, at its cursor and due at once. An endpoint that is not
   * verified yet is due to be verified. An active endpoint stays as it is.
   *
   * @return the changed endpoint; empty if it does not exist
   */
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
                .ifPresent(one -> WebhookSteps.begin(handle, id, now));
          }
          return webhook;
        });
  }

  /**
   * Disables an endpoint; a disabled endpoint stays as it is.
   *
   * @return the changed endpoint; empty if it does not exist
   */
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

  /**
   * Disables an endpoint because of an answer of its URL. The answer counts for the revision that
   * was called: a later revision stays as it is.
   *
   * @param called the endpoint as it was when it was called
   * @return whether it is disabled now
   */
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

  /** The ids of the active endpoints, each with its revision. */
  public Map<Long, Long> active() {
    return database.read(WebhookRows::active);
  }

  /**
   * Records since when no message got through to a URL, or (absent) that a message did. Nothing
   * changes where the webhook has another URL now.
   *
   * @param called the endpoint as it was when it was called
   */
  public CompletableFuture<Void> failing(Webhook called, @Nullable Instant since) {
    return database.changePatiently(
        (handle, effects) -> WebhookSteps.failing(handle, called, since));
  }

  /** The pages that endpoints without repetitions were sent. */
  public WebhookLinks links() {
    return new WebhookLinks(database);
  }

  /** Records until when an endpoint wants no further document. */
  public CompletableFuture<Void> rests(long id, Instant until) {
    return database.changePatiently((handle, effects) -> WebhookSteps.rests(handle, id, until));
  }

  /** The ids of active endpoints that have failed since before a time, up to a limit. */
  public List<Long> failingSinceBefore(Instant time, int limit) {
    return database.read(handle -> WebhookRows.failingSinceBefore(handle, time, limit));
  }

  /** The events that an endpoint misses; empty if it misses none but the events in flight. */
  public Optional<Behind> behind(Webhook webhook) {
    return database.read(handle -> handle.inTransaction(at -> WebhookRows.behind(at, webhook)));
  }

  /** The endpoints that are to be verified now, except at some hosts, the longest due first. */
  public List<Webhook> due(Instant now, Set<String> passedHosts, int limit) {
    return new DueRows(database, "webhook", "next_attempt_at")
        .read(
            now,
            (handle, damaged) ->
                handle.inTransaction(at -> WebhookRows.due(at, now, passedHosts, limit, damaged)));
  }

  /** When the next endpoint that waits for a later time is to be verified. */
  public Optional<Instant> nextDue(Instant now) {
    return database.read(handle -> WebhookRows.nextDue(handle, now));
  }

  /**
   * Records that an endpoint returned the challenge: it is active from the end of the log on, or
   * from its cursor.
   *
   * @param webhook the endpoint as it was read before its verification
   * @return whether the endpoint was still the same and waited for its verification; if not,
   *     nothing changed
   */
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
            WebhookSteps.begin(handle, webhook.id(), now);
            effects.add(Effect.WEBHOOK);
          }
          return confirmed == 1;
        });
  }

  /**
   * Records that a verification of an endpoint failed.
   *
   * @param again when it is verified next; absent for no further verification
   */
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
