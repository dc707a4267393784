package io.feedbridge.gateway.store;

import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Feeds and the event log of each. */
public interface Feeds {

  /**
   * Finds the feed of a topic, or begins it; either way it is wanted from now on, and one that was
   * not is due to be fetched at once.
   *
   * @param topic normalised
   */
  CompletableFuture<FollowedFeed> follow(String topic, Instant now);

  /**
   * Follows topics for good, even with no subscriber.
   *
   * @param topics normalised; one transaction
   * @return those of them that were not followed before
   */
  CompletableFuture<Set<String>> keep(List<String> topics, Instant now);

  /** Feeds that are followed, in the order of their ids, after one of them. */
  List<FollowedFeed> followed(long after, int limit);

  /** Lets go of a feed for which nobody is subscribed or waits to be. */
  CompletableFuture<Void> unfollowIfUnused(long feedId, Instant now);

  /** Lets go of all such feeds: what a stop in the middle of a registration left behind. */
  CompletableFuture<Void> unfollowUnused();

  Optional<FollowedFeed> byId(long feedId);

  /** What kind of document a feed is, which is less to read than all of it. */
  Optional<FeedKind> kind(long feedId);

  Optional<FollowedFeed> byTopic(String topic);

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
   * Spreads the polls that are due over the time to come, in the order in which they were due. Not
   * those that somebody waits for: first fetches, and repeated ones after a ping.
   *
   * @param perTick how many are to be due at once, and then again after each {@code tick}
   * @return how many polls were given another time
   */
  CompletableFuture<Integer> spreadDue(Instant now, int perTick, Duration tick);

  /**
   * A feed was found due and its fetch is asked for: it is due again at that time, unless what came
   * of the fetch says otherwise already.
   *
   * @param due as it was found
   */
  CompletableFuture<Void> asked(FollowedFeed due, Instant again);

  /** Moves a feed's next fetch, and nothing else of it. */
  CompletableFuture<Void> postpone(long feedId, Instant nextFetchAt);

  /**
   * Ends work without doing it now: the feed is fetched later instead.
   *
   * @param retryVia how the ping came in that was the work, if it was one
   */
  CompletableFuture<Void> putOff(Position work, Instant nextFetchAt, @Nullable Via retryVia);

  /** Which of these entry ids are known for a feed, and as what. */
  Map<String, SeenEntry> seen(long feedId, Collection<String> entryIds);

  /** Which of these fingerprints belong to entries of the feed that were seen. */
  Set<String> knownFingerprints(long feedId, Collection<String> fingerprints);

  /** The newest bytes of a feed, if it was ever fetched. */
  Optional<Body> body(long feedId);

  /**
   * Records what came of a piece of work: events, entries, validators, status, and that the work is
   * done, in one transaction (rule L1).
   *
   * @return the sequence numbers of the events appended, in the order of {@link Outcome#updates}
   */
  CompletableFuture<List<Long>> record(Outcome outcome);

  /**
   * The newest entries of a feed, the newest first, whatever retention did to their events (rule
   * L13); empty for what was never read as a feed.
   *
   * @param limit at most {@link Newest#KEPT} are there
   */
  Optional<Newest> newest(long feedId, int limit);

  /** The events of a feed after one sequence number up to and including another, in order. */
  List<Event> events(long feedId, long after, long upTo);

  /** The newest events of a feed up to and including one, the newest first. */
  List<Event> lastEvents(long feedId, long upTo, int limit);
}
