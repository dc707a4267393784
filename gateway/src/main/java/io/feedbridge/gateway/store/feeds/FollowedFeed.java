package io.feedbridge.gateway.store.feeds;

import io.feedbridge.gateway.store.Barrier;
import io.feedbridge.gateway.store.log.TopicFormat;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A feed (or any other resource) that is or was followed.
 *
 * @param topic the URL that subscribers named; the feed's identity, never changed (rule L14)
 * @param url where it is fetched
 * @param followed whether the feed is followed at present
 * @param tried whether a fetch was recorded since following began
 * @param head sequence number of its newest event, 0 if there is none
 * @param firstFetchAt when its baseline was recorded (rule L11), if it was
 * @param nextFetchAt when the poll timer fetches it next; absent while no fetch is wanted
 * @param retryVia the way by which a ping arrived whose fetch failed and is repeated
 * @param fetched the record of its last fetch
 * @param advertised the hubs and clouds that its last full fetch advertised
 * @param pace its poll schedule
 * @param named the hub that the operator names for it
 */
public record FollowedFeed(
    long id,
    String topic,
    String url,
    FeedKind kind,
    FeedState state,
    boolean followed,
    boolean tried,
    long head,
    @Nullable Instant firstFetchAt,
    @Nullable Instant nextFetchAt,
    @Nullable Via retryVia,
    Fetched fetched,
    Validators validators,
    Advertised advertised,
    PollPace pace,
    @Nullable NamedHub named) {

  /** One for which the operator names no hub. */
  public FollowedFeed(
      long id,
      String topic,
      String url,
      FeedKind kind,
      FeedState state,
      boolean followed,
      boolean tried,
      long head,
      @Nullable Instant firstFetchAt,
      @Nullable Instant nextFetchAt,
      @Nullable Via retryVia,
      Fetched fetched,
      Validators validators,
      Advertised advertised,
      PollPace pace) {
    this(
        id,
        topic,
        url,
        kind,
        state,
        followed,
        tried,
        head,
        firstFetchAt,
        nextFetchAt,
        retryVia,
        fetched,
        validators,
        advertised,
        pace,
        null);
  }

  /** The message of a fetch that was answered with status 401. */
  public static final String ASKS_FOR_CREDENTIALS =
      "the origin answered with status 401: it asks for credentials (auth of POST /feeds)";

  private static final String REPAIRED =
      "its document is broken and was repaired: entries may be missing";

  /**
   * Whether the entries that the feed had when following began are known, so that new entries can
   * be recognized.
   */
  public boolean hasBaseline() {
    return firstFetchAt != null;
  }

  /** Whether its newest document is a list of feeds. */
  public boolean isList() {
    return fetched.format() != null && fetched.format().ofList();
  }

  /**
   * The problem for which the feed waits to be read for the first time; null where it was read, or
   * was not fetched yet, or is not waited for.
   */
  public @Nullable String waiting() {
    boolean waits = followed && tried && !hasBaseline() && state != FeedState.GONE;
    return waits && fetched.failures() > 0 ? fetched.message() : null;
  }

  /**
   * The sort of the topic's document: {@code feed}, {@code list}, {@code page}, {@code json} or
   * {@code other}; null before the first fetch with success.
   */
  public @Nullable String content() {
    NoFeed other = fetched.noFeed();
    return switch (kind) {
      case UNKNOWN -> null;
      case FEED -> isList() ? "list" : "feed";
      case CONTENT ->
          (other == null ? NoFeed.Content.OTHER : other.content()).name().toLowerCase(Locale.ROOT);
    };
  }

  /**
   * The problem of the feed, in a sentence for people: its last fetch failed, or its document is no
   * feed, or is broken; null where nothing is.
   */
  public @Nullable String problem() {
    if (fetched.failures() > 0 || state == FeedState.ERROR || state == FeedState.GONE) {
      return fetched.message();
    }
    NoFeed other = fetched.noFeed();
    if (kind != FeedKind.CONTENT) {
      return kind == FeedKind.FEED && fetched.standing().repaired() ? REPAIRED : null;
    }
    return other == null ? "its document is not a feed and has no entries" : other.problem();
  }

  /** The status element, as of now; unknown values are left out. */
  public Status status() {
    return new Status(
        topic,
        fetched.title(),
        fetched.code(),
        fetched.message(),
        nextFetchAt,
        fetched.period().isZero() ? null : fetched.period().toSeconds(),
        fetched.lastFetch(),
        fetched.lastParse(),
        fetched.maintenance().at(),
        fetched.maintenance().entriesSince(),
        fetched.maintenance().velocity(),
        fetched.standing().popularity(),
        fetched.standing().bozoRank(),
        fetched.generatedIds() ? true : null);
  }

  /**
   * The facts behind the status element.
   *
   * @param title the feed's own title
   * @param code the last HTTP status, absent where no answer came
   * @param message the last fetch in a sentence
   * @param period how long until the next poll when nothing happens
   * @param failures fetches that failed in a row
   * @param standing how many read it, and how far it is to be trusted
   * @param format of the last document that was fetched; null where that is no feed, or not known
   * @param noFeed the sort of that document where it is no feed; null where it is a feed or not
   *     known
   * @param partial that document where it breaks off before its end
   * @param barrier why a topic that was never read may never be; null where its origin may recover
   */
  public record Fetched(
      @Nullable String title,
      @Nullable Integer code,
      @Nullable String message,
      Duration period,
      int failures,
      boolean generatedIds,
      @Nullable Instant lastFetch,
      @Nullable Instant lastParse,
      Maintenance maintenance,
      Standing standing,
      @Nullable TopicFormat format,
      @Nullable NoFeed noFeed,
      @Nullable PartialDocument partial,
      @Nullable Barrier barrier) {

    /** Of a feed that was not fetched yet. */
    public static final Fetched NEVER =
        new Fetched(
            null,
            null,
            null,
            Duration.ZERO,
            0,
            false,
            null,
            null,
            new Maintenance(null, 0, null),
            Standing.UNKNOWN);

    public Fetched {
      standing = standing == null ? Standing.UNKNOWN : standing;
    }

    /** Of a feed whose own format is not known. */
    public Fetched(
        @Nullable String title,
        @Nullable Integer code,
        @Nullable String message,
        Duration period,
        int failures,
        boolean generatedIds,
        @Nullable Instant lastFetch,
        @Nullable Instant lastParse,
        Maintenance maintenance,
        Standing standing) {
      this(
          title,
          code,
          message,
          period,
          failures,
          generatedIds,
          lastFetch,
          lastParse,
          maintenance,
          standing,
          null,
          null,
          null,
          null);
    }

    /** The same record for a document in this format, or for one that is no feed. */
    public Fetched in(@Nullable TopicFormat own, @Nullable NoFeed other) {
      return with(own, other, partial, barrier);
    }

    /** This record with the document, if that breaks off; null for a document that is whole. */
    public Fetched brokenOff(@Nullable PartialDocument document) {
      return with(format, noFeed, document, barrier);
    }

    /** This record of a topic that was never read; null where its origin may recover. */
    public Fetched barred(@Nullable Barrier by) {
      return with(format, noFeed, partial, by);
    }

    private Fetched with(
        @Nullable TopicFormat own,
        @Nullable NoFeed other,
        @Nullable PartialDocument document,
        @Nullable Barrier by) {
      return new Fetched(
          title,
          code,
          message,
          period,
          failures,
          generatedIds,
          lastFetch,
          lastParse,
          maintenance,
          standing,
          own,
          other,
          document,
          by);
    }
  }

  /**
   * The counts of the daily maintenance cycle.
   *
   * @param at when it last ran
   * @param entriesSince new entries since then
   * @param velocity new entries in the cycle before
   */
  public record Maintenance(@Nullable Instant at, long entriesSince, @Nullable Long velocity) {}
}
