package io.feedbridge.gateway.store.sql.deliveries;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.sql.database.Sealing;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.websub.DocumentWishes;
import java.time.Instant;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Changes of an endpoint's row and consumer, each within a transaction of its caller. */
final class WebhookSteps {

  private WebhookSteps() {}

  /** Adds an endpoint without its topics. */
  static long insert(
      Handle handle,
      Webhook.Terms terms,
      String tag,
      String secret,
      boolean verified,
      Instant now) {
    Sealing sealing = Sealing.of(handle);
    return handle
        .createQuery(
            """
                INSERT INTO webhook
                  (tag, url, host, every_feed, filter, description, wishes, target, secret, retired, state, verified,
                   next_attempt_at, created_at)
                VALUES
                  (:tag, :url, :host, :all, :filter, :description, :wishes, :target, :secret, :retired, :state, :verified,
                   :next, :now)
                RETURNING id
                """)
        .bind("tag", tag)
        .bind("url", terms.url())
        .bind("host", CallbackHost.of(terms.url()))
        .bind("all", terms.topics().isEmpty())
        .bind("filter", terms.filter())
        .bind("description", terms.description())
        .bind("wishes", wishes(terms))
        .bind("target", target(sealing, terms, tag))
        .bind("secret", sealing.seal(secret, Sealing.WEBHOOK, tag).text())
        .bind(
            "retired", sealing.seal(WebhookRows.NONE_RETIRED, Sealing.WEBHOOK_RETIRED, tag).text())
        .bind("state", (verified ? Webhook.State.ACTIVE : Webhook.State.PENDING).name())
        .bind("verified", verified)
        .bind("next", verified ? null : now.toEpochMilli())
        .bind("now", now.toEpochMilli())
        .mapTo(Long.class)
        .one();
  }

  /** Writes the terms of an endpoint except its topics. */
  static void update(Handle handle, Webhook is, Webhook.Terms terms) {
    handle
        .createUpdate(
            """
            UPDATE webhook SET
              url = :url, host = :host, every_feed = :all, filter = :filter,
              description = :description, wishes = :wishes, target = :target,
              revision = revision + 1
            WHERE id = :id
            """)
        .bind("url", terms.url())
        .bind("host", CallbackHost.of(terms.url()))
        .bind("all", terms.topics().isEmpty())
        .bind("filter", terms.filter())
        .bind("description", terms.description())
        .bind("wishes", wishes(terms))
        .bind("target", target(Sealing.of(handle), terms, is.tag()))
        .bind("id", is.id())
        .execute();
  }

  /**
   * Sets the state of an endpoint with another URL: the URL is to be verified unless it is trusted,
   * and a disabled endpoint stays disabled. Pauses and failures of the previous URL do not count
   * for the new one.
   */
  static void moved(Handle handle, Webhook is, boolean trusted, Instant now) {
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

  /** Serves an endpoint from now on: from the end of the log, or at once from where it was. */
  static void begin(Handle handle, long id, Instant now) {
    Consumers.create(handle, Webhook.consumer(id), now);
    handle
        .createUpdate("UPDATE consumer SET next_attempt_at = :now WHERE name = :name")
        .bind("now", now.toEpochMilli())
        .bind("name", Webhook.consumer(id))
        .execute();
  }

  /** Writes since when no message got through to the URL that was called. */
  static void failing(Handle handle, Webhook called, @Nullable Instant since) {
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
  }

  /** Writes until when an endpoint wants no further document. */
  static void rests(Handle handle, long id, Instant until) {
    handle
        .createUpdate("UPDATE webhook SET rests_until = :until WHERE id = :id")
        .bind("until", until.toEpochMilli())
        .bind("id", id)
        .execute();
  }

  private static @Nullable String target(Sealing sealing, Webhook.Terms terms, String tag) {
    return terms.target().equals(Webhook.Target.STANDARD)
        ? null
        : sealing.seal(Json.text(terms.target()), Sealing.WEBHOOK_TARGET, tag).text();
  }

  private static @Nullable String wishes(Webhook.Terms terms) {
    return terms.wishes().equals(DocumentWishes.NONE) ? null : Json.text(terms.wishes());
  }
}
