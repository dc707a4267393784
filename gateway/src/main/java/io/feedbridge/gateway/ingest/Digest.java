package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.Urls;
import io.feedbridge.gateway.store.Advertised;
import io.feedbridge.gateway.store.Body;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.ListedFeeds;
import io.feedbridge.gateway.store.Newest;
import io.feedbridge.gateway.store.NoFeed;
import io.feedbridge.gateway.store.Outcome;
import io.feedbridge.gateway.store.PartialDocument;
import io.feedbridge.gateway.store.PollPace;
import io.feedbridge.gateway.store.TopicFormat;
import io.feedbridge.gateway.store.Update;
import io.feedbridge.gateway.store.Validators;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.normalizer.CutOff;
import io.feedbridge.normalizer.DiffParser;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.EntryDiff;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.LanguageDetector;
import io.feedbridge.normalizer.Selected;
import io.feedbridge.normalizer.Served;
import io.feedbridge.websub.TopicUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The step from bytes to changes of the store: normalize, compare with the entries seen, select the
 * new entries. Writes nothing itself.
 */
final class Digest {

  /** Characters of a feed's title that are kept: each event and each status repeats it. */
  private static final int MAX_TITLE = 1_000;

  private static final EntryDiff.Diff NOTHING = new EntryDiff.Diff(List.of(), List.of(), List.of());

  private final Store store;
  private final Planner planner;
  private final QuietOutcomes quiet;
  private final DiffParser parser = new DiffParser();
  private final LanguageDetector languages = new LanguageDetector();

  Digest(Store store, PollSchedule pollSchedule) {
    this.store = store;
    planner = new Planner(pollSchedule, store.upstreamSubscriptions());
    quiet = new QuietOutcomes(planner);
  }

  /**
   * Digests a believed delivery. Its entries are never part of a feed's baseline (rule L11).
   *
   * @return empty if a fetch must tell instead
   */
  Optional<Outcome> fat(Position position, FollowedFeed feed, WorkItem.Fat fat, Instant now) {
    boolean isPart = TopicUrl.selection(feed.topic()).isPresent();
    // A part of a list would say that the rest of its feeds left it.
    if (!feed.hasBaseline() || feed.kind() == FeedKind.UNKNOWN || isPart || feed.isList()) {
      return Optional.empty();
    }
    Fault.DIGEST.in(feed.topic());
    boolean isFeed = feed.kind() == FeedKind.FEED;
    Body body = new Body(fat.contentType(), fat.body());
    Optional<FeedDiff> read =
        isFeed ? read(feed, body, SeenEntries.Source.PUSH, now) : Optional.empty();
    if (isFeed && read.isEmpty()) {
      return Optional.empty();
    }
    if (read.filter(diff -> diff.cut() != null).isPresent()) {
      // The delivery breaks off.
      return Optional.empty();
    }
    Optional<Feed> parsed = read.map(FeedDiff::feed);
    // Only a fetch brings the whole bytes of a feed; of anything else the delivery is the whole.
    boolean refresh = isFeed && store.subscriptions().anyRaw(feed.id());
    EntryDiff.Diff diff = read.map(FeedDiff::diff).orElse(NOTHING);
    // A hub may deliver in another format than that of the topic.
    TopicFormat fetched = feed.fetched().format();
    TopicFormat format =
        fetched == null
            ? TopicFormat.of(read.map(FeedDiff::family).orElse(null), fat.contentType())
            : fetched;
    String hash = Hashes.sha256(fat.body());
    boolean bytesChanged = !isFeed && !hash.equals(feed.validators().bodyHash());
    FollowedFeed.Fetched before = feed.fetched();
    FollowedFeed after =
        Changes.of(feed)
            .fetched(
                new FollowedFeed.Fetched(
                        title(parsed, before),
                        before.code(),
                        "%d bytes delivered by push: %s".formatted(fat.body().length, counts(diff)),
                        before.period(),
                        before.failures(),
                        before.generatedIds() || read.map(FeedDiff::anyGeneratedId).orElse(false),
                        before.lastFetch(),
                        now,
                        Upkeep.pushed(before.maintenance(), diff.fresh().size()),
                        before
                            .standing()
                            .after(
                                diff.fresh().size(),
                                diff.renamed().size(),
                                before.standing().repaired()))
                    .in(format, isFeed ? null : before.noFeed())
                    .brokenOff(before.partial()))
            .pace(
                diff.fresh().isEmpty()
                    ? feed.pace()
                    : Rhythm.after(feed.pace(), diff.fresh().size(), now))
            .nextFetch(refresh ? now : feed.nextFetchAt(), refresh ? fat.via() : feed.retryVia())
            .validators(isFeed ? feed.validators() : new Validators(null, null, hash))
            .build();
    Optional<Feed> fields = parsed.map(document -> pushedFields(after, document));
    Slices.Cut events = events(after, fields, diff, bytesChanged, bytesChanged);
    return Optional.of(
        new Outcome(
            position,
            after,
            now,
            fat.via(),
            diff.toRemember(),
            bytesChanged ? body : null,
            fields.orElse(null),
            null,
            events.updates(),
            events.bytes(),
            null));
  }

  /** The outcome of work for a feed that is followed no more: the work is removed unprocessed. */
  Outcome unwanted(Look look) {
    return QuietOutcomes.unwanted(look);
  }

  /** Digests a fetch, whatever came of it. */
  Outcome fetched(Look look, FetchResult result) {
    return result instanceof FetchResult.Fresh fresh ? fresh(look, fresh) : quiet.of(look, result);
  }

  private Outcome fresh(Look look, FetchResult.Fresh fetch) {
    FollowedFeed feed = look.feed();
    Fault.DIGEST.in(feed.topic());
    String hash = Hashes.sha256(fetch.body());
    boolean wasFeed = feed.hasBaseline() && feed.kind() == FeedKind.FEED;
    // A baseline has all entries, also of a feed that was followed before.
    SeenEntries seen =
        new SeenEntries(
            store,
            feed,
            wasFeed ? SeenEntries.Source.FETCH : SeenEntries.Source.BASELINE,
            look.now());
    PartialDocument partial = feed.fetched().partial();
    boolean isOver = partial != null && partial.isOver(look.now());
    Optional<FeedDiff> read;
    Optional<Feed> parsed;
    NoFeed noFeed = null;
    Selected part = fetch.part();
    try {
      if (part != null) {
        read = Optional.empty();
        parsed = Optional.empty();
        noFeed = Unreadable.part(fetch.served().contentType());
      } else if (wasFeed && hash.equals(feed.validators().bodyHash()) && !isOver) {
        // The same entries, whatever they are.
        read = Optional.empty();
        parsed = Optional.of(parser.fields(fetch.body(), fetch.served()));
      } else {
        read = Optional.of(parser.parse(fetch.body(), fetch.served(), seen));
        parsed = read.map(FeedDiff::feed);
      }
    } catch (FeedParseException e) {
      if (feed.kind() == FeedKind.FEED) {
        String message = String.valueOf(e.getMessage());
        return quiet.failure(
            look, new FetchResult.Failed(fetch.code(), message, Optional.empty(), fetch.way()));
      }
      noFeed = Unreadable.of(e, fetch.body(), fetch.served().contentType());
      read = Optional.empty();
      parsed = Optional.empty();
    }
    FeedKind kind = parsed.isPresent() ? FeedKind.FEED : FeedKind.CONTENT;
    LastEntry last =
        LastEntry.of(partial, hash, read, seen.asked(), () -> keptEnd(look, partial), look.now());
    // A part of a document must be fetched again, whatever its origin calls it.
    Validators validators =
        last.partial() == null
            ? new Validators(fetch.etag(), fetch.lastModified(), hash, fetch.way().url())
            : new Validators(null, null, hash, fetch.way().url());
    // Even with the same bytes: the headers, too, say how the topic can be followed.
    Advertised advertised = Advertisements.of(fetch, feed.topic(), feed.url(), parsed);
    boolean sameKind = feed.kind() == kind;
    PollPace.Asked asked = Planner.asked(parsed, fetch.way());
    if (feed.hasBaseline() && sameKind && hash.equals(feed.validators().bodyHash()) && !isOver) {
      String message =
          fetch.body().length + " bytes fetched in " + fetch.way().seconds() + ": unchanged";
      return quiet.unchanged(
          look,
          fetch.way(),
          new QuietOutcomes.Answer(fetch.code(), message, asked),
          validators,
          advertised);
    }
    // Entries of the baseline are news to no subscriber. Changed bytes of a resource that was no
    // feed are news to subscribers that want them, also if the bytes are a feed now.
    boolean baseline = !feed.hasBaseline() || !sameKind;
    Feed changed =
        part == null
            ? null
            : part.asFeed(feed.topic(), TopicUrl.document(feed.topic()), look.now());
    EntryDiff.Diff found =
        changed == null || baseline
            ? read.map(one -> last.in(one, baseline)).orElse(NOTHING)
            : new EntryDiff.Diff(changed.entries(), List.of(), List.of());
    EntryDiff.Diff diff = baseline ? NOTHING : found;
    int news = diff.fresh().size();
    FollowedFeed.Fetched before = feed.fetched();
    Planner.Plan plan =
        planner.after(
            look,
            new Planner.Found(
                kind,
                asked,
                baseline ? found.fresh() : List.of(),
                news,
                new HashSet<>(seen.asked()).size(),
                news > 0 || (!baseline && parsed.isEmpty())));
    Planner.Moved moved = planner.moved(look, fetch.way());
    FollowedFeed after =
        Changes.of(feed)
            .kind(kind)
            .state(FeedState.ACTIVE)
            .firstFetch(feed.firstFetchAt() == null ? look.now() : feed.firstFetchAt())
            .fetched(
                new FollowedFeed.Fetched(
                        title(changed == null ? parsed : Optional.of(changed), before),
                        fetch.code(),
                        fetch.body().length
                            + " bytes fetched in "
                            + fetch.way().seconds()
                            + ": "
                            + (noFeed == null || part != null
                                ? counts(diff) + last.note()
                                : noFeed.problem()),
                        plan.period(),
                        0,
                        read.map(FeedDiff::anyGeneratedId).orElse(false),
                        look.now(),
                        look.now(),
                        Upkeep.after(before.maintenance(), news, look.now()),
                        before
                            .standing()
                            .readBy(look.readers())
                            .after(
                                news,
                                diff.renamed().size(),
                                parsed.filter(f -> !f.repairs().isEmpty()).isPresent()))
                    .in(
                        TopicFormat.of(
                            read.map(FeedDiff::family).orElse(null), fetch.served().contentType()),
                        noFeed)
                    .brokenOff(last.partial()))
            .nextFetch(LastEntry.nextFetch(plan.next(), last.partial(), look.now()), null)
            .pace(plan.pace().movingTo(moved.moving()))
            .url(moved.url())
            .validators(validators)
            .advertised(advertised)
            .build();
    // After a ping, changed bytes alone are news to subscribers that want them; after a poll, only
    // the bytes of a resource that is or was no feed are.
    boolean wasContent = feed.kind() == FeedKind.CONTENT;
    boolean bytesAreNews = look.via().isPing() || parsed.isEmpty() || wasContent;
    boolean first = !feed.hasBaseline() || feed.kind() == FeedKind.UNKNOWN;
    Optional<Feed> document = changed == null ? parsed.map(last::fields) : Optional.of(changed);
    Optional<Feed> fields = document.map(one -> fields(after, one));
    // Without the hash, as the bytes were asked for again, only entries tell of a change.
    String known = feed.validators().bodyHash();
    boolean bytesChanged =
        (known == null && parsed.isPresent()) ? !diff.isEmpty() : !hash.equals(known);
    Slices.Cut events =
        first ? Slices.Cut.NONE : events(after, fields, diff, bytesChanged, bytesAreNews);
    List<Update> updates = new ArrayList<>(QuietOutcomes.statusNews(feed, after));
    updates.addAll(events.updates());
    return new Outcome(
        look.position(),
        after,
        look.now(),
        look.via(),
        found.toRemember(),
        new Body(fetch.served().contentType(), fetch.body()),
        baseline && changed != null ? changed : kept(fields, read, baseline),
        // Entries behind the cut are absent from this document alone; entries of feeds of a list
        // stand in no document of it.
        last.partial() == null && !after.isList()
            ? Upkeep.stale(before.maintenance(), seen.asked(), look.now())
            : null,
        updates,
        events.bytes(),
        ListedFeeds.of(feed, read));
  }

  /** The end of the newest document of before, if that is kept. */
  private Optional<CutOff> keptEnd(Look look, @Nullable PartialDocument partial) {
    if (partial == null) {
      return Optional.empty();
    }
    return store
        .feeds()
        .body(look.feed().id())
        .filter(body -> Hashes.sha256(body.bytes()).equals(partial.bodyHash()))
        .flatMap(body -> read(look.feed(), body, SeenEntries.Source.FETCH, look.now()))
        .map(FeedDiff::cut);
  }

  private Optional<FeedDiff> read(
      FollowedFeed feed, Body body, SeenEntries.Source source, Instant now) {
    Served served = Served.at(Urls.base(feed.url(), feed.topic()), body.contentType());
    try {
      SeenEntries seen = new SeenEntries(store, feed, source, now);
      return Optional.of(parser.parse(body.bytes(), served, seen));
    } catch (FeedParseException unreadable) {
      return Optional.empty();
    }
  }

  /**
   * The events to append.
   *
   * @param read the document's fields, if it is a feed
   * @param bytesAreNews whether changed bytes alone make an event
   */
  private Slices.Cut events(
      FollowedFeed feed,
      Optional<Feed> read,
      EntryDiff.Diff diff,
      boolean bytesChanged,
      boolean bytesAreNews) {
    if (diff.isEmpty() && !(bytesChanged && bytesAreNews)) {
      return Slices.Cut.NONE;
    }
    Feed fields = read.orElseGet(() -> Feed.bare(feed.topic(), feed.fetched().title()));
    // Told of news alone: it costs more than all else about an entry.
    List<Entry> fresh = languages.complete(diff.fresh());
    List<Entry> changed = languages.complete(diff.changed());
    Slices.Cut cut = Slices.of(fields, fresh, changed, diff.removed(), feed.status(), bytesChanged);
    return new Slices.Cut(
        cut.updates().stream().map(update -> update.in(feed.fetched().format())).toList(),
        cut.bytes());
  }

  private static Feed fields(FollowedFeed feed, Feed document) {
    return Slices.fields(document, feed.topic(), feed.fetched().title());
  }

  /** A push of removals alone has no title and no links of its feed, and does not replace them. */
  private Feed pushedFields(FollowedFeed feed, Feed document) {
    boolean isRemovalAlone = document.entries().isEmpty() && !document.removals().isEmpty();
    return isRemovalAlone
        ? store
            .feeds()
            .newest(feed.id(), 0)
            .map(Newest::feed)
            .orElseGet(() -> Feed.bare(feed.topic(), feed.fetched().title()))
        : fields(feed, document);
  }

  /**
   * The part of a document that is kept beside its events: no event holds the entries of a
   * baseline.
   */
  private @Nullable Feed kept(Optional<Feed> fields, Optional<FeedDiff> read, boolean baseline) {
    if (!baseline || fields.isEmpty() || read.isEmpty()) {
      return fields.orElse(null);
    }
    Feed document = read.get().feed();
    CutOff cut = read.get().cut();
    // A part that may have another id when it is whole would stand beside the whole entry.
    Feed whole = cut != null && cut.seen() == null ? CutOff.whole(document) : document;
    List<Entry> newest = whole.entries().stream().limit(Newest.KEPT).toList();
    return fields.get().withEntries(languages.complete(newest));
  }

  private static String counts(EntryDiff.Diff diff) {
    String moved =
        diff.moved() == 0 ? "" : ", %d known entries have new ids".formatted(diff.moved());
    int removed = diff.removed().size();
    return diff.fresh().size()
        + " new entries"
        + moved
        + (removed == 0 ? "" : ", %d entries removed".formatted(removed));
  }

  private static @Nullable String title(Optional<Feed> parsed, FollowedFeed.Fetched before) {
    return parsed.map(Feed::title).map(Digest::cut).orElse(before.title());
  }

  private static String cut(String title) {
    int length = Math.min(title.codePointCount(0, title.length()), MAX_TITLE);
    return title.substring(0, title.offsetByCodePoints(0, length));
  }
}
