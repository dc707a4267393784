package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.gateway.store.feeds.Newest.Arrival;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Source;
import io.feedbridge.normalizer.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Chooses among the entries that are kept of each feed, which outlive the log (rule L13).
 * Thread-safe; blocks on the store.
 */
public final class PastEntries {

  /** Entries that can be had at once. */
  public static final int MAX = Newest.KEPT;

  private final Feeds feeds;
  private final String hubUrl;

  /**
   * Past entries from a store.
   *
   * @param hubUrl the source that a document over several feeds names
   */
  public PastEntries(Feeds feeds, String hubUrl) {
    this.feeds = feeds;
    this.hubUrl = hubUrl;
  }

  /**
   * Which entries are wanted.
   *
   * @param count of them at most: the newest, or with {@code after} and without {@code before} the
   *     ones that follow it
   * @param before only entries older than this one
   * @param after only entries newer than this one
   * @param afterSeq only entries that came in a later event
   * @param upToSeq only entries that came in this event or an earlier one
   */
  public record Choice(
      int count, Optional<String> before, Optional<String> after, long afterSeq, long upToSeq) {

    /** No event comes before it, as if one were asked for. */
    private static final long FIRST = -1;

    /** By entries alone. */
    public Choice(int count, Optional<String> before, Optional<String> after) {
      this(count, before, after, FIRST, Long.MAX_VALUE);
    }

    /** The same for entries that came in an event after one and up to another. */
    public Choice between(long newAfter, long newUpTo) {
      return new Choice(count, before, after, newAfter, newUpTo);
    }

    /** The same for entries that came in an event up to one. */
    public Choice upTo(long newUpTo) {
      return new Choice(count, before, after, afterSeq, newUpTo);
    }

    private boolean includes(Arrival arrival) {
      // Entries that were there when following began came before every event.
      long seq = arrival.seq() == null ? 0 : arrival.seq();
      return seq > afterSeq && seq <= upToSeq;
    }
  }

  /** An entry with the data of its feed. */
  private record Found(FollowedFeed of, Feed feed, Arrival arrival) {}

  /**
   * The entries chosen, the newest first.
   *
   * @param followed at least one; with several each entry names its source
   * @throws UnknownEntryException if an entry is named that none of the feeds ever had
   */
  public PastDocument choose(List<FollowedFeed> followed, Choice choice) {
    List<Found> all = new ArrayList<>();
    List<Feed> read = new ArrayList<>();
    for (FollowedFeed one : followed) {
      Optional<Newest> newest = feeds.newest(one.id(), MAX);
      Feed feed = newest.map(Newest::feed).orElse(Feed.bare(one.topic(), one.fetched().title()));
      read.add(feed);
      newest.ifPresent(
          of -> of.entries().forEach(arrival -> all.add(new Found(one, feed, arrival))));
    }
    if (followed.size() > 1) {
      all.sort(Comparator.<Found, Instant>comparing(one -> one.arrival.at()).reversed());
    }
    int from = choice.before.map(id -> place(followed, all, id) + 1).orElse(0);
    int to = choice.after.map(id -> place(followed, all, id)).orElse(all.size());
    List<Found> between =
        from >= to
            ? List.of()
            : all.subList(from, to).stream().filter(one -> choice.includes(one.arrival)).toList();
    int most = Math.min(choice.count, between.size());
    boolean onwards = choice.after.isPresent() && choice.before.isEmpty();
    List<Found> chosen =
        onwards ? between.subList(between.size() - most, between.size()) : between.subList(0, most);
    return followed.size() == 1
        ? single(followed.get(0), read.get(0), chosen)
        : several(followed, chosen);
  }

  /** Where an entry stands; behind all that are kept if it is an older one. */
  private int place(List<FollowedFeed> followed, List<Found> all, String id) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).arrival.entry().id().equals(id)) {
        return i;
      }
    }
    if (followed.stream().anyMatch(one -> feeds.knows(one.id(), id))) {
      return all.size();
    }
    throw new UnknownEntryException();
  }

  private static PastDocument single(FollowedFeed of, Feed feed, List<Found> chosen) {
    List<Entry> entries = chosen.stream().map(PastEntries::dated).toList();
    return new PastDocument(feed.withEntries(entries), of.status(), firstSeen(of));
  }

  private PastDocument several(List<FollowedFeed> followed, List<Found> chosen) {
    List<Entry> entries =
        chosen.stream()
            .map(one -> dated(one).withSource(Source.of(one.feed, one.of.status())))
            .toList();
    Feed feed = Feed.bare(hubUrl, "Entries of %d feeds".formatted(followed.size()));
    return new PastDocument(
        feed.withEntries(entries), Status.of(hubUrl), firstSeen(followed.get(0)));
  }

  private static Entry dated(Found one) {
    return one.arrival.entry().datedIfNot(one.arrival.at());
  }

  private static Instant firstSeen(FollowedFeed feed) {
    return feed.firstFetchAt() == null ? Instant.EPOCH : feed.firstFetchAt();
  }
}
