package io.feedbridge.gateway.store.sql.feeds;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.database.Rows;
import io.feedbridge.gateway.store.upstream.Trust;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Hubs and clouds as wholes, and their records of success. The transaction that records entries
 * counts how many of them came first by push and how many by poll.
 */
public final class Upstreams {

  /** Why an upstream subscription is demoted when polls find its entries first. */
  public static final String MISSED = "polls found entries that it had not pushed";

  /** Why all subscriptions at an endpoint are demoted. */
  public static final String FAILS = "it fails for too many of its feeds";

  /** An endpoint that fails for one feed in this many, or for more, is no longer trusted. */
  public static final int TRUSTED_SHARE = 5;

  /** Feeds that must be followed at an endpoint for it to be judged. */
  public static final int JUDGED_FROM = 5;

  static final String LIVE = "('ACTIVE', 'RENEWING')";

  private final Database database;

  public Upstreams(Database database) {
    this.database = database;
  }

  /** A counter of an endpoint. */
  private enum Count {
    FIRST_BY_POLL,
    SIGNATURE_FAILURES,
    VERIFICATION_FAILURES;

    String column() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private static void add(
      Handle handle, UpstreamSubscription.Kind kind, String url, Count count, int by, Instant now) {
    handle
        .createUpdate(
            """
            INSERT INTO endpoint (kind, url, <column>, since) VALUES (:kind, :url, :by, :now)
            ON CONFLICT (url, kind) DO UPDATE SET <column> = endpoint.<column> + :by
            """)
        .define("column", count.column())
        .bind("kind", kind.name())
        .bind("url", url)
        .bind("by", by)
        .bind("now", now.toEpochMilli())
        .execute();
  }

  /** Counts entries that an upstream subscription should have brought; too many demote it. */
  static void missed(
      Handle handle, UpstreamSubscription following, int entries, int fresh, Instant at) {
    add(handle, following.kind(), following.endpoint(), Count.FIRST_BY_POLL, entries, at);
    Trust trust = following.trust().polled(entries - fresh, fresh, at);
    if (!trust.misses()) {
      SqlUpstreamSubscriptions.update(handle, following.trusted(trust), Set.of(following.state()));
      return;
    }
    Trust less = trust.demoted(true);
    SqlUpstreamSubscriptions.update(
        handle,
        following
            .trusted(less)
            .with(
                UpstreamSubscription.State.REFUSED,
                at.plus(Trust.pause(less.demotions())),
                0,
                MISSED),
        Set.of(following.state()));
    SqlUpstreamSubscriptions.chooseAgain(handle, following.feedId());
    judge(handle, following, at);
  }

  /** An endpoint is listed from the first subscription that it confirms. */
  static void confirmed(Handle handle, UpstreamSubscription following) {
    Instant since = following.trust().liveSince();
    if (!following.state().isLive() || since == null) {
      return;
    }
    handle
        .createUpdate(
            """
            INSERT INTO endpoint (kind, url, since) VALUES (:kind, :url, :since)
            ON CONFLICT (url, kind) DO NOTHING
            """)
        .bind("kind", following.kind().name())
        .bind("url", following.endpoint())
        .bind("since", since.toEpochMilli())
        .execute();
  }

  /** Counts a refused upstream subscription of an endpoint, in the transaction of the refusal. */
  static void refused(Handle handle, UpstreamSubscription following, Instant now) {
    add(handle, following.kind(), following.endpoint(), Count.VERIFICATION_FAILURES, 1, now);
    if (following.trust().atFault()) {
      judge(handle, following, now);
    }
  }

  /** Demotes an endpoint for all its feeds if it fails for too many. */
  private static void judge(Handle handle, UpstreamSubscription one, Instant now) {
    Optional<Integer> demotions =
        handle
            .createQuery(
                """
                UPDATE endpoint SET demotions = demotions + 1, since = :now, demoted_until = :now
                WHERE url = :url AND kind = :kind
                  AND (demoted_until IS NULL OR demoted_until <= :now)
                  AND (SELECT COUNT(*) >= :from
                         AND SUM(CASE WHEN state = 'REFUSED' AND json_valid(trust)
                           AND CAST(trust ->> 'atFault' AS TEXT) IN ('1', 'true')
                           THEN 1 ELSE 0 END) * :share
                           >= COUNT(*)
                       FROM following
                       WHERE endpoint = :url AND kind = :kind AND state <> 'ENDING')
                RETURNING demotions
                """)
            .bind("now", now.toEpochMilli())
            .bind("url", one.endpoint())
            .bind("kind", one.kind().name())
            .bind("from", JUDGED_FROM)
            .bind("share", TRUSTED_SHARE)
            .mapTo(Integer.class)
            .findOne();
    demotions.ifPresent(times -> demote(handle, one, times, now));
  }

  private static void demote(Handle handle, UpstreamSubscription one, int times, Instant now) {
    long until = now.plus(Trust.pause(times)).toEpochMilli();
    handle
        .createUpdate(
            "UPDATE endpoint SET demoted_until = :until WHERE url = :url AND kind = :kind")
        .bind("until", until)
        .bind("url", one.endpoint())
        .bind("kind", one.kind().name())
        .execute();
    handle
        .createUpdate(
            """
            UPDATE feed SET revision = revision + 1 WHERE id IN
              (SELECT feed_id FROM following
               WHERE endpoint = :url AND kind = :kind AND state NOT IN ('ENDING', 'REFUSED'))
            """)
        .bind("url", one.endpoint())
        .bind("kind", one.kind().name())
        .execute();
    handle
        .createUpdate(
            """
            UPDATE following SET
              state = 'REFUSED', next_action_at = :until, attempts = 0,
              trust = CASE WHEN json_valid(trust)
                THEN json_remove(trust, '$.liveSince') ELSE trust END,
              reason = :reason
            WHERE endpoint = :url AND kind = :kind AND state NOT IN ('ENDING', 'REFUSED')
            """)
        .bind("until", until)
        .bind("reason", FAILS)
        .bind("url", one.endpoint())
        .bind("kind", one.kind().name())
        .execute();
  }

  /** Records a delivery that was not signed as agreed. */
  public CompletableFuture<Void> signatureFailed(
      UpstreamSubscription.Kind kind, String url, Instant now) {
    return database.change(
        (handle, effects) -> add(handle, kind, url, Count.SIGNATURE_FAILURES, 1, now));
  }

  /** When an endpoint will be trusted again; empty for a trusted endpoint. */
  public Optional<Instant> demotedUntil(UpstreamSubscription.Kind kind, String url, Instant now) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT demoted_until FROM endpoint
                    WHERE url = :url AND kind = :kind AND demoted_until > :now
                    """)
                .bind("url", url)
                .bind("kind", kind.name())
                .bind("now", now.toEpochMilli())
                .map((row, context) -> Rows.instant(row, "demoted_until"))
                .findOne());
  }

  /** How a cloud took the last registration; {@link Accepted#NOTHING} if that is not known. */
  public Accepted accepted(String cloud) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    "SELECT protocol, place FROM endpoint WHERE url = :url AND kind = :kind")
                .bind("url", cloud)
                .bind("kind", UpstreamSubscription.Kind.RSSCLOUD.name())
                .map(
                    (row, context) ->
                        new Accepted(row.getString("protocol"), row.getString("place")))
                .findOne()
                .orElse(Accepted.NOTHING));
  }

  /** Remembers how a cloud took a registration, or forgets it. */
  public CompletableFuture<Void> accepted(String cloud, Accepted how, Instant now) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    INSERT INTO endpoint (kind, url, protocol, place, since)
                    VALUES (:kind, :url, :protocol, :place, :now)
                    ON CONFLICT (url, kind) DO UPDATE SET
                      protocol = excluded.protocol, place = excluded.place
                    """)
                .bind("kind", UpstreamSubscription.Kind.RSSCLOUD.name())
                .bind("url", cloud)
                .bind("protocol", how.protocol())
                .bind("place", how.place())
                .bind("now", now.toEpochMilli())
                .execute());
  }

  /**
   * The pauses of hubs that were busy or failed at last, the pause that ends last first. Some may
   * have ended.
   */
  public List<Pause> pauses(int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT url, paused_until, pause FROM endpoint
                    WHERE paused_until IS NOT NULL ORDER BY paused_until DESC LIMIT :limit
                    """)
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new Pause(
                            row.getString("url"),
                            Rows.instant(row, "paused_until"),
                            Duration.ofMillis(row.getLong("pause"))))
                .list());
  }

  /** Remembers the pause of a hub. */
  public CompletableFuture<Void> paused(Pause pause, Instant now) {
    return database.change(
        (handle, effects) ->
            handle
                .createUpdate(
                    """
                    INSERT INTO endpoint (kind, url, paused_until, pause, since)
                    VALUES (:kind, :url, :until, :length, :now)
                    ON CONFLICT (url, kind) DO UPDATE SET
                      paused_until = excluded.paused_until, pause = excluded.pause
                    """)
                .bind("kind", UpstreamSubscription.Kind.WEBSUB.name())
                .bind("url", pause.hub())
                .bind("until", pause.until().toEpochMilli())
                .bind("length", pause.length().toMillis())
                .bind("now", now.toEpochMilli())
                .execute());
  }

  /** Forgets the pauses of the hubs at a host, as {@link CallbackHost} names it. */
  public CompletableFuture<Void> resumed(String host) {
    return database.change(
        (handle, effects) ->
            handle
                .createQuery("SELECT url FROM endpoint WHERE paused_until IS NOT NULL")
                .mapTo(String.class)
                .list()
                .stream()
                .filter(url -> CallbackHost.of(url).equals(host))
                .forEach(
                    url ->
                        handle
                            .createUpdate(
                                """
                                UPDATE endpoint SET paused_until = NULL, pause = NULL
                                WHERE url = :url AND kind = :kind
                                """)
                            .bind("url", url)
                            .bind("kind", UpstreamSubscription.Kind.WEBSUB.name())
                            .execute()));
  }

  /** The tallies of all hubs and clouds, in the order of their ids, after the given id. */
  public List<Tally> list(long after, int limit) {
    return database.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT *, (SELECT COUNT(DISTINCT feed_id) FROM following
                               WHERE endpoint = url AND following.kind = endpoint.kind) AS feeds,
                              (SELECT reason FROM following
                               WHERE endpoint = url AND following.kind = endpoint.kind
                                 AND state = 'REFUSED'
                               ORDER BY id DESC LIMIT 1) AS refusal
                    FROM endpoint WHERE id > :after ORDER BY id LIMIT :limit
                    """)
                .bind("after", after)
                .bind("limit", limit)
                .map(
                    (row, context) ->
                        new Tally(
                            row.getLong("id"),
                            UpstreamSubscription.Kind.valueOf(row.getString("kind")),
                            row.getString("url"),
                            row.getLong("feeds"),
                            row.getLong("first_by_push"),
                            row.getLong("first_by_poll"),
                            row.getLong("signature_failures"),
                            row.getLong("verification_failures"),
                            row.getString("refusal"),
                            Rows.instantOrNull(row, "last_delivery_at"),
                            Rows.instantOrNull(row, "demoted_until"),
                            Rows.instant(row, "since"),
                            Rows.instantOrNull(row, "paused_until"),
                            new Accepted(row.getString("protocol"), row.getString("place"))))
                .list());
  }

  /**
   * How a cloud took a registration, which is tried first at the next one.
   *
   * @param protocol the value of {@code protocol} that the cloud took, by its name on the wire;
   *     absent if it is not known
   * @param place the URL behind the cloud's redirects that answered; absent if the cloud answered
   *     at its own URL
   */
  public record Accepted(@Nullable String protocol, @Nullable String place) {

    /** Of a cloud that took no registration yet. */
    public static final Accepted NOTHING = new Accepted(null, null);
  }

  /**
   * A pause of a hub.
   *
   * @param hub its URL
   * @param length the last pause, which the next one doubles
   */
  public record Pause(String hub, Instant until, Duration length) {}

  /**
   * The record of success of one hub or cloud.
   *
   * @param feeds feeds that are followed through it, or were to be
   * @param firstByPush new entries that it pushed before a poll found them
   * @param firstByPoll new entries that a poll found although they should have been pushed
   * @param signatureFailures deliveries that were not signed as agreed
   * @param verificationFailures subscriptions that it refused, never confirmed or let lapse
   * @param lastRefusal the reason of the newest upstream subscription there that is refused at
   *     present
   * @param demotedUntil when it is trusted again; absent while it is trusted
   * @param since when it became known, or was demoted
   * @param pausedUntil the end of its last pause, which may be over; absent once it has answered
   * @param accepted how it took its last registration, if it is a cloud
   */
  public record Tally(
      long id,
      UpstreamSubscription.Kind kind,
      String url,
      long feeds,
      long firstByPush,
      long firstByPoll,
      long signatureFailures,
      long verificationFailures,
      @Nullable String lastRefusal,
      @Nullable Instant lastDeliveryAt,
      @Nullable Instant demotedUntil,
      Instant since,
      @Nullable Instant pausedUntil,
      Accepted accepted) {}
}
