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
 * Endpoints that are sent JSON. Each active one has a consumer ({@link Webhook#consumer}), whose
 * cursor is its own; the feeds that it names are followed as long as it is there.
 */
public interface Webhooks {

  /** Endpoints in all. */
  int MAX = 10_000;

  /** Feeds that one may name. */
  int MAX_TOPICS = 1_000;

  /** How long a secret that was replaced is valid beside the new one. */
  Duration OVERLAP = Duration.ofHours(24);

  /** Secrets that are valid beside the newest. */
  int MAX_RETIRED = 4;

  /** Events that are counted of those that one has not got. */
  int MAX_COUNTED = 10_000;

  /**
   * Adds one and follows the feeds that it names. One that is verified begins at the end of the
   * log; any other is due to be verified at once.
   *
   * @return empty if there are {@link #MAX} already
   */
  CompletableFuture<Optional<Webhook>> create(
      Webhook.Terms terms, String tag, String secret, boolean verified, Instant now);

  Optional<Webhook> byId(long id);

  /** Those that match, in the order of their ids, after the given one. */
  List<Webhook> list(Filter filter, long afterId, int limit);

  /**
   * Gives one other terms. Feeds that it names now and did not before are followed, from their
   * newest event on; the others are let go of. With another URL it waits to be verified again, with
   * its cursor kept.
   *
   * @param before as it was read; with another revision nothing changes
   * @param verified whether another URL needs no verification
   * @return as it is then; empty if it is not there any more or was changed meanwhile
   */
  CompletableFuture<Optional<Webhook>> change(
      Webhook before, Webhook.Terms terms, boolean verified, Instant now);

  /**
   * Forgets one and its cursor, and lets go of the feeds that nobody else wants.
   *
   * @return whether it was there
   */
  CompletableFuture<Boolean> remove(long id, Instant now);

  /**
   * Gives one another secret; the one before is valid for {@link #OVERLAP} yet.
   *
   * @return empty if it is not there, or if {@link #MAX_RETIRED} are valid already beside its own
   */
  CompletableFuture<Optional<Webhook>> rotate(long id, String secret, Instant now);

  /**
   * Makes one active that was disabled, at its cursor and due at once; one that is not verified yet
   * is due to be verified. Nothing changes of one that is active.
   *
   * @return as it is then; empty if it is not there
   */
  CompletableFuture<Optional<Webhook>> enable(long id, Instant now);

  /**
   * Disables one; nothing changes of one that is.
   *
   * @return as it is then; empty if it is not there
   */
  CompletableFuture<Optional<Webhook>> disable(long id, String reason, Instant now);

  // Serving them.

  /** The active ones, each with its revision. */
  Map<Long, Long> active();

  /** Nothing got through since that time, or (absent) something did. */
  CompletableFuture<Void> failing(long id, @Nullable Instant since);

  /** Active ones that are failing since before a time, at most so many. */
  List<Long> failingSinceBefore(Instant time, int limit);

  /** What one has not got; empty if it misses nothing but what is on its way. */
  Optional<Roster.Behind> behind(Webhook webhook);

  // Verifying them.

  /** Those that are to be verified now, but for those at some hosts, the longest due first. */
  List<Webhook> due(Instant now, Set<String> passedHosts, int limit);

  /** When the next is due that waits only for a time after this one. */
  Optional<Instant> nextDue(Instant now);

  /**
   * One gave the challenge back: it is active from the end of the log on, or from where it was.
   *
   * @param webhook as it was read when it was asked
   * @return whether it still waited for that as it was; if not, nothing changed
   */
  CompletableFuture<Boolean> confirm(Webhook webhook, Instant now);

  /**
   * One did not.
   *
   * @param again when it is asked next; absent for not any more
   */
  CompletableFuture<Void> unconfirmed(Webhook webhook, String reason, @Nullable Instant again);

  /** What an endpoint must be like; an absent part matches all. */
  record Filter(
      @Nullable String topic,
      @Nullable String url,
      Webhook.@Nullable State state,
      @Nullable Boolean lagging) {

    /** Matches every one. */
    public static final Filter ALL = new Filter(null, null, null, null);
  }
}
