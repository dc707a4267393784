package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.ListedFeeds;
import io.feedbridge.gateway.store.feeds.NoFeed;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.feeds.PartialDocument;
import io.feedbridge.gateway.store.feeds.Validators;
import io.feedbridge.gateway.store.log.TopicFormat;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.Selected;
import io.feedbridge.websub.TopicUrl;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The step from a fetched document to its outcome. */
final class FreshFetch {

  static final EntryDiff.Diff NOTHING = new EntryDiff.Diff(List.of(), List.of(), List.of());

  private final Documents documents;
  private final Planner planner;
  private final QuietOutcomes quiet;
  private final NewEvents events;

  FreshFetch(Documents documents, Planner planner, QuietOutcomes quiet, NewEvents events) {
    this.documents = documents;
    this.planner = planner;
    this.quiet = quiet;
    this.events = events;
  }

  /**
   * The document as it was read.
   *
   * @param diff absent where its entries need not be compared
   * @param parsed its fields; absent if it is no feed, or a part of a document
   * @param noFeed why it is no feed; absent for a feed
   */
  private record Reading(
      Look look,
      FetchResult.Fresh fetch,
      String hash,
      SeenEntries seen,
      Optional<FeedDiff> diff,
      Optional<Feed> parsed,
      @Nullable NoFeed noFeed,
      LastEntry last) {

    FollowedFeed feed() {
      return look.feed();
    }

    FeedKind kind() {
      return parsed.isPresent() ? FeedKind.FEED : FeedKind.CONTENT;
    }

    /** Whether the kind of the topic is as it was: a feed, or something else. */
    boolean isSameKind() {
      return feed().hasBaseline() && feed().kind() == kind();
    }

    /** A document that breaks off is compared again once it is over, with the same bytes. */
    boolean isUnchanged() {
      return isSameKind()
          && hash.equals(feed().validators().bodyHash())
          && !isOver(feed(), look.now());
    }

    /** A part of a document must be fetched again, whatever its origin calls it. */
    Validators validators() {
      return last.partial() == null
          ? new Validators(fetch.etag(), fetch.lastModified(), hash, fetch.way().url())
          : new Validators(null, null, hash, fetch.way().url());
    }

    /** Even with the same bytes: the headers, too, say how the topic can be followed. */
    Advertised advertised() {
      return Advertisements.of(fetch, feed().topic(), feed().url(), parsed);
    }

    String bytesIn() {
      return fetch.body().length + " bytes fetched in " + fetch.way().seconds() + ": ";
    }
  }

  /**
   * The entries that the document brings.
   *
   * @param baseline whether it is the first document of its kind: its entries are news to no
   *     subscriber
   * @param part the part of a document as a feed with one entry; absent for whole documents
   * @param found its entries, also of a baseline
   */
  private record Entries(boolean baseline, @Nullable Feed part, EntryDiff.Diff found) {

    EntryDiff.Diff news() {
      return baseline ? NOTHING : found;
    }
  }

  /** The outcome of a fetch that brought a document. */
  Outcome of(Look look, FetchResult.Fresh fetch) {
    Fault.DIGEST.in(look.feed().topic());
    Reading reading;
    try {
      reading = read(look, fetch);
    } catch (FeedParseException e) {
      String message = String.valueOf(e.getMessage());
      return quiet.failure(
          look, new FetchResult.Failed(fetch.code(), message, Optional.empty(), fetch.way()));
    }
    if (reading.isUnchanged()) {
      return quiet.unchanged(
          look,
          fetch.way(),
          new QuietOutcomes.Answer(
              fetch.code(),
              reading.bytesIn() + "unchanged",
              PollSchedule.asked(reading.parsed, fetch.way())),
          reading.validators(),
          reading.advertised());
    }
    Entries entries = entries(reading);
    return outcome(reading, entries, after(reading, entries));
  }

  private static boolean isOver(FollowedFeed feed, Instant now) {
    PartialDocument partial = feed.fetched().partial();
    return partial != null && partial.isOver(now);
  }

  /**
   * Reads the document.
   *
   * @throws FeedParseException if the topic was a feed, and the document is none
   */
  private Reading read(Look look, FetchResult.Fresh fetch) throws FeedParseException {
    FollowedFeed feed = look.feed();
    String hash = Hashes.sha256(fetch.body());
    boolean wasFeed = feed.hasBaseline() && feed.kind() == FeedKind.FEED;
    // A baseline has all entries, also of a feed that was followed before.
    SeenEntries seen =
        documents.seen(
            feed, wasFeed ? SeenEntries.Source.FETCH : SeenEntries.Source.BASELINE, look.now());
    Optional<FeedDiff> diff = Optional.empty();
    Optional<Feed> parsed = Optional.empty();
    NoFeed noFeed = null;
    try {
      if (fetch.part() != null) {
        noFeed = Unreadable.part(fetch.served().contentType());
      } else if (wasFeed
          && hash.equals(feed.validators().bodyHash())
          && !isOver(feed, look.now())) {
        // Equal bytes have equal entries, which need not be compared.
        parsed = Optional.of(documents.fields(fetch));
      } else {
        diff = Optional.of(documents.diff(fetch, seen));
        parsed = diff.map(FeedDiff::feed);
      }
    } catch (FeedParseException e) {
      if (feed.kind() == FeedKind.FEED) {
        throw e;
      }
      noFeed = Unreadable.of(e, fetch.body(), fetch.served().contentType());
    }
    PartialDocument partial = feed.fetched().partial();
    LastEntry last =
        LastEntry.of(
            partial, hash, diff, seen.asked(), () -> documents.keptEnd(look, partial), look.now());
    return new Reading(look, fetch, hash, seen, diff, parsed, noFeed, last);
  }

  private static Entries entries(Reading reading) {
    FollowedFeed feed = reading.feed();
    // Changed bytes of a resource that was no feed are news to subscribers that want them, also if
    // the bytes are a feed now.
    boolean baseline = !reading.isSameKind();
    Selected selected = reading.fetch.part();
    Feed part =
        selected == null
            ? null
            : selected.asFeed(feed.topic(), TopicUrl.document(feed.topic()), reading.look.now());
    EntryDiff.Diff found =
        part == null || baseline
            ? reading.diff.map(one -> reading.last.in(one, baseline)).orElse(NOTHING)
            : new EntryDiff.Diff(part.entries(), List.of(), List.of());
    return new Entries(baseline, part, found);
  }

  /** The feed after the fetch. */
  private FollowedFeed after(Reading reading, Entries entries) {
    Look look = reading.look;
    FollowedFeed feed = reading.feed();
    int news = entries.news().fresh().size();
    Planner.Plan plan =
        planner.after(
            look,
            new Planner.Found(
                reading.kind(),
                PollSchedule.asked(reading.parsed, reading.fetch.way()),
                entries.baseline ? entries.found.fresh() : List.of(),
                news,
                new HashSet<>(reading.seen.asked()).size(),
                news > 0 || (!entries.baseline && reading.parsed.isEmpty())));
    Planner.Moved moved = planner.moved(look, reading.fetch.way());
    PartialDocument partial = reading.last.partial();
    return Changes.of(feed)
        .kind(reading.kind())
        .state(FeedState.ACTIVE)
        .firstFetch(feed.firstFetchAt() == null ? look.now() : feed.firstFetchAt())
        .fetched(fetched(reading, entries, plan.period()))
        .nextFetch(LastEntry.nextFetch(plan.next(), partial, look.now()), null)
        .pace(plan.pace().movingTo(moved.moving()))
        .url(moved.url())
        .validators(reading.validators())
        .advertised(reading.advertised())
        .build();
  }

  private static FollowedFeed.Fetched fetched(Reading reading, Entries entries, Duration period) {
    Look look = reading.look;
    FollowedFeed.Fetched before = reading.feed().fetched();
    EntryDiff.Diff diff = entries.news();
    int news = diff.fresh().size();
    boolean isRepaired = reading.parsed.filter(feed -> !feed.repairs().isEmpty()).isPresent();
    NoFeed noFeed = reading.noFeed;
    String found =
        noFeed == null || entries.part != null
            ? Texts.counts(diff) + reading.last.note()
            : noFeed.problem();
    return new FollowedFeed.Fetched(
            Texts.title(entries.part == null ? reading.parsed : Optional.of(entries.part), before),
            reading.fetch.code(),
            reading.bytesIn() + found,
            period,
            0,
            reading.diff.map(FeedDiff::anyGeneratedId).orElse(false),
            look.now(),
            look.now(),
            Upkeep.after(before.maintenance(), news, look.now()),
            before.standing().readBy(look.readers()).after(news, diff.renamed().size(), isRepaired))
        .in(
            TopicFormat.of(
                reading.diff.map(FeedDiff::family).orElse(null),
                reading.fetch.served().contentType()),
            noFeed)
        .brokenOff(reading.last.partial());
  }

  private Outcome outcome(Reading reading, Entries entries, FollowedFeed after) {
    Look look = reading.look;
    FollowedFeed feed = reading.feed();
    Optional<Feed> document =
        entries.part == null ? reading.parsed.map(reading.last::fields) : Optional.of(entries.part);
    Optional<Feed> fields = document.map(one -> NewEvents.fields(after, one));
    Slices.Cut cut = events(reading, entries, after, fields);
    List<Update> updates = new ArrayList<>(QuietOutcomes.statusNews(feed, after));
    updates.addAll(cut.updates());
    FetchResult.Fresh fetch = reading.fetch;
    return new Outcome(
        look.position(),
        after,
        look.now(),
        look.via(),
        entries.found.toRemember(),
        new Body(fetch.served().contentType(), fetch.body()),
        entries.baseline && entries.part != null
            ? entries.part
            : events.kept(fields, reading.diff, entries.baseline),
        // Entries behind the cut are absent from this document alone; entries of feeds of a list
        // stand in no document of it.
        reading.last.partial() == null && !after.isList()
            ? Upkeep.stale(feed.fetched().maintenance(), reading.seen.asked(), look.now())
            : null,
        updates,
        cut.bytes(),
        ListedFeeds.of(feed, reading.diff));
  }

  private Slices.Cut events(
      Reading reading, Entries entries, FollowedFeed after, Optional<Feed> fields) {
    FollowedFeed feed = reading.feed();
    if (!feed.hasBaseline() || feed.kind() == FeedKind.UNKNOWN) {
      return Slices.Cut.NONE;
    }
    // After a ping, changed bytes alone are news to subscribers that want them; after a poll, only
    // the bytes of a resource that is or was no feed are.
    boolean bytesAreNews =
        reading.look.via().isPing() || reading.parsed.isEmpty() || feed.kind() == FeedKind.CONTENT;
    // Without the hash, as the bytes were asked for again, only entries tell of a change.
    String known = feed.validators().bodyHash();
    boolean bytesChanged =
        (known == null && reading.parsed.isPresent())
            ? !entries.news().isEmpty()
            : !reading.hash.equals(known);
    return events.of(after, fields, entries.news(), bytesChanged, bytesAreNews);
  }
}
