package io.feedbridge.gateway.store.feeds;

import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Feeds and the event log of each. */
public interface Feeds {

  /**
   * Finds or adds the feed of a topic, and follows it from now on. A feed that was not followed is
   * due to be fetched at once.
   *
   * @param topic normalised
   */
  CompletableFuture<FollowedFeed> follow(String topic, Instant now);

  /**
   * Follows topics for good, even with no subscriber.
   *
   * @param topics normalised; all are added in one transaction
   * @return the topics that were not followed before
   */
  CompletableFuture<Set<String>> keep(List<String> topics, Instant now);

  /** Followed feeds in the order of their ids, after the given id. */
  List<FollowedFeed> followed(long after, int limit);

  /**
   * Stops following a feed that has no subscription, no waiting request and no other reason to be
   * followed.
   */
  CompletableFuture<Void> unfollowIfUnused(long feedId, Instant now);

  /**
   * Frees the documents, entries and fingerprints of feeds that have had no follower since a time,
   * in one transaction of bounded length. A feed that is followed again later gets a new baseline.
   *
   * @param most fingerprints that are removed
   * @return whether there is more to free
   */
  CompletableFuture<Boolean> freeLeft(Instant before, Instant now, int most);

  /** Stops following all unused feeds, such as a feed whose registration was cut off by a stop. */
  CompletableFuture<Void> unfollowUnused();

  Optional<FollowedFeed> byId(long feedId);

  /** The kind of a feed, without reading the rest of its row. */
  Optional<FeedKind> kind(long feedId);

  Optional<FollowedFeed> byTopic(String topic);

  /**
   * The followed feed of a document, if there is one, then the followed parts of the document, each
   * of which is a feed of its own.
   *
   * @param url of the document, normalised like a topic
   */
  List<FollowedFeed> ofDocument(String url, int limit);

  /**
   * Followed feeds that name a page as their own ({@code link}), the oldest first.
   *
   * @param page normalised like a topic; a slash at its end makes no difference
   */
  List<FollowedFeed> ofPage(String page, int limit);

  /** Followed feeds whose next fetch is due, the longest due first. */
  List<FollowedFeed> due(Instant now, int limit);

  /** When the next fetch of any followed feed is due. */
  Optional<Instant> nextDue();

  /**
   * Spreads the polls that are due over the time to come, in the order in which they were due.
   * First fetches and repeated fetches after a ping keep their times, because a caller or a
   * publisher waits for them.
   *
   * @param perTick how many are to be due at once, and then again after each {@code tick}
   * @return how many polls were given another time
   */
  CompletableFuture<Integer> spreadDue(Instant now, int perTick, Duration tick);

  /**
   * Records that the fetch of a due feed was requested. The feed is due again at {@code again},
   * unless the outcome of the fetch has already set another time.
   *
   * @param due as it was found
   */
  CompletableFuture<Void> asked(FollowedFeed due, Instant again);

  /** Moves a feed's next fetch, and nothing else of it. */
  CompletableFuture<Void> postpone(long feedId, Instant nextFetchAt);

  /**
   * Ends work without doing it now: the feed is fetched later instead.
   *
   * @param retryVia the way by which the ping of this work arrived; null if the work was no ping
   */
  CompletableFuture<Void> putOff(Position work, Instant nextFetchAt, @Nullable Via retryVia);

  /**
   * Ends work whose outcome can be neither found out nor {@link #record recorded}: the feed is in
   * error, its first fetch counts as tried, and it is fetched again at that time.
   *
   * @param reason a sentence for operators
   */
  CompletableFuture<Void> abandon(Position work, Instant nextFetchAt, String reason);

  /**
   * {@link #putOff} because a budget is spent or for its host, which is on record until an outcome
   * of the feed is.
   */
  CompletableFuture<Void> holdBack(Position work, HeldBack held, @Nullable Via retryVia);

  /** Why a feed is held back, if it is. */
  Optional<HeldBack> heldBack(long feedId);

  /** The known entries of a feed by their ids, of the given ids. */
  Map<String, SeenEntry> seen(long feedId, Collection<String> entryIds);

  /**
   * Whether a feed ever had an entry of an id, as far as the store remembers; a tracker has had the
   * entries of its feeds.
   */
  boolean knows(long feedId, String entryId);

  /** Which of these fingerprints belong to entries of the feed that were seen. */
  Set<String> knownFingerprints(long feedId, Collection<String> fingerprints);

  /**
   * The newest bytes of a topic, if it was ever fetched. The bytes of a feed that is parsed are
   * kept while it has a raw subscriber, while {@link #keepBody} says so, or a part of them is
   * missing; of any other such feed the bytes of its first fetch are there until they change.
   */
  Optional<Body> body(long feedId);

  /**
   * Keeps the {@link #body} of a feed until a time. A feed whose bytes are not there is due for a
   * fetch.
   *
   * @return whether they are there
   */
  CompletableFuture<Boolean> keepBody(long feedId, Instant until, Instant now);

  /** How long {@link #body} is, in bytes, without reading it; 0 where there is none. */
  int bodyLength(long feedId);

  /**
   * Records the outcome of a piece of work in one transaction (rule L1): events, entries,
   * validators, status, and that the work is done.
   *
   * @return the sequence numbers of the events appended, in the order of {@link Outcome#updates}
   */
  CompletableFuture<List<Long>> record(Outcome outcome);

  /**
   * Whether a followed feed has no confirmed subscription and no webhook, and no operator keeps it:
   * readers of its bridged feed alone want it, or requests that are not verified yet.
   */
  boolean isUnconfirmed(long feedId);

  /** Bytes of the newest documents of all followed feeds that are {@link #isUnconfirmed}. */
  long unconfirmedBytes();

  /**
   * The newest entries of a feed, the newest first, whatever retention did to their events (rule
   * L13); empty for a topic that was never read as a feed.
   *
   * @param limit at most {@link Newest#KEPT} are there; {@link Newest#MAX_BYTES} is a limit too
   */
  Optional<Newest> newest(long feedId, int limit);

  /**
   * When the newest entries of a feed, its fields or its bytes changed last, in whole seconds. Each
   * change has a later second than the change before, so that many in one second end in the future.
   * Empty for a feed without fields, and for one that has not changed since an earlier version.
   */
  Optional<Instant> changedAt(long feedId);

  /** Bytes of all entries that are kept of a feed, without reading them. */
  long newestLength(long feedId);

  /** The events of a feed after one sequence number up to and including another, in order. */
  List<Event> events(long feedId, long after, long upTo);

  /** The first event of a feed after a sequence number, whether or not it can be read. */
  OptionalLong nextEvent(long feedId, long after);

  /** The newest events of a feed up to and including a sequence number, the newest first. */
  List<Event> lastEvents(long feedId, long upTo, int limit);
}
