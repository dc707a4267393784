package io.feedbridge.gateway.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Endpoints that receive JSON. Each active endpoint has a consumer ({@link Webhook#consumer}) with
 * a cursor of its own. The feeds that an endpoint names are followed as long as the endpoint
 * exists.
 */
public interface Webhooks {

  /** Endpoints in all. */
  int MAX = 10_000;

  /** Feeds that one endpoint may name. */
  int MAX_TOPICS = 1_000;

  /** How long a secret that was replaced is valid beside the new one. */
  Duration OVERLAP = Duration.ofHours(24);

  /** Secrets that are valid beside the newest. */
  int MAX_RETIRED = 4;

  /** The highest count of missed events of one endpoint. */
  int MAX_COUNTED = 10_000;

  /**
   * Adds an endpoint and follows the feeds that it names. A verified endpoint begins at the end of
   * the log; any other is due to be verified at once.
   *
   * @return the new endpoint; empty if there are {@link #MAX} already
   */
  CompletableFuture<Optional<Webhook>> create(
      Webhook.Terms terms, String tag, String secret, boolean verified, Instant now);

  Optional<Webhook> byId(long id);

  /** The endpoints that match, in the order of their ids, after the given id. */
  List<Webhook> list(Filter filter, long afterId, int limit);

  /**
   * Changes the terms of an endpoint. Feeds that it names newly are followed, from their newest
   * event on; feeds that it no longer names are released. An endpoint with another URL waits to be
   * verified again and keeps its cursor.
   *
   * @param before the endpoint as it was read; nothing changes if its revision differs now
   * @param verified whether another URL needs no verification
   * @return the changed endpoint; empty if it was removed or changed meanwhile
   */
  CompletableFuture<Optional<Webhook>> change(
      Webhook before, Webhook.Terms terms, boolean verified, Instant now);

  /**
   * Forgets an endpoint and its cursor, and stops following its feeds that are not wanted for
   * another reason.
   *
   * @return whether the endpoint existed
   */
  CompletableFuture<Boolean> remove(long id, Instant now);

  /**
   * Gives an endpoint a new secret; the previous secret stays valid for {@link #OVERLAP}.
   *
   * @return the changed endpoint; empty if it does not exist, or if {@link #MAX_RETIRED} earlier
   *     secrets are still valid
   */
  CompletableFuture<Optional<Webhook>> rotate(long id, String secret, Instant now);

  /**
   * Makes a disabled endpoint active, at its cursor and due at once. An endpoint that is not
   * verified yet is due to be verified. An active endpoint stays as it is.
   *
   * @return the changed endpoint; empty if it does not exist
   */
  CompletableFuture<Optional<Webhook>> enable(long id, Instant now);

  /**
   * Disables an endpoint; a disabled endpoint stays as it is.
   *
   * @return the changed endpoint; empty if it does not exist
   */
  CompletableFuture<Optional<Webhook>> disable(long id, String reason, Instant now);

  /**
   * Disables an endpoint because of an answer of its URL. The answer counts for the revision that
   * was called: a later revision stays as it is.
   *
   * @param called the endpoint as it was when it was called
   * @return whether it is disabled now
   */
  CompletableFuture<Boolean> disableAsCalled(Webhook called, String reason, Instant now);

  // Serving them.

  /** The ids of the active endpoints, each with its revision. */
  Map<Long, Long> active();

  /**
   * Records since when no message got through to a URL, or (absent) that a message did. Nothing
   * changes where the webhook has another URL now.
   *
   * @param called the endpoint as it was when it was called
   */
  CompletableFuture<Void> failing(Webhook called, @Nullable Instant since);

  /** The ids of active endpoints that have failed since before a time, up to a limit. */
  List<Long> failingSinceBefore(Instant time, int limit);

  /** The events that an endpoint misses; empty if it misses none but the events in flight. */
  Optional<SubscriptionQueries.Behind> behind(Webhook webhook);

  // Verifying them.

  /** The endpoints that are to be verified now, except at some hosts, the longest due first. */
  List<Webhook> due(Instant now, Set<String> passedHosts, int limit);

  /** When the next endpoint that waits for a later time is to be verified. */
  Optional<Instant> nextDue(Instant now);

  /**
   * Records that an endpoint returned the challenge: it is active from the end of the log on, or
   * from its cursor.
   *
   * @param webhook the endpoint as it was read before its verification
   * @return whether the endpoint was still the same and waited for its verification; if not,
   *     nothing changed
   */
  CompletableFuture<Boolean> confirm(Webhook webhook, Instant now);

  /**
   * Records that a verification of an endpoint failed.
   *
   * @param again when it is verified next; absent for no further verification
   */
  CompletableFuture<Void> unconfirmed(Webhook webhook, String reason, @Nullable Instant again);

  /**
   * The conditions that an endpoint must meet; an absent part matches all endpoints. An endpoint of
   * all feeds is one of each topic.
   */
  record Filter(
      @Nullable String topic,
      @Nullable String url,
      Webhook.@Nullable State state,
      @Nullable Boolean lagging) {

    /** Matches each endpoint. */
    public static final Filter ALL = new Filter(null, null, null, null);
  }
}
