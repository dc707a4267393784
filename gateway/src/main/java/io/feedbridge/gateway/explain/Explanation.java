package io.feedbridge.gateway.explain;

import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.normalizer.Selected;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a feed would be followed, and why; in the order in which it is found out. For a feed that
 * cannot be followed, the findings up to the problem.
 *
 * @param url that was asked about
 * @param code the HTTP status, if there was an answer
 * @param problem why it cannot be followed; absent where it can
 * @param redirects on the way, in order
 * @param followedAt where it would be fetched
 * @param kind feed, content or unknown
 * @param repairs that the document needed before it could be read
 * @param self the canonical topic that it names, or that redirects lead to
 * @param ways to follow it, the best first; polling is the last
 * @param choice the first of them that will do
 * @param part the part of the document that the URL selects behind its #, if it does
 * @param heldBack why the feed is not fetched before some time, if it is followed: a budget that is
 *     spent, its host, or its failures
 */
public record Explanation(
    String url,
    @Nullable Integer code,
    @Nullable String problem,
    List<Redirect> redirects,
    String followedAt,
    String kind,
    @Nullable String title,
    int entries,
    int bytes,
    List<String> repairs,
    Validators validators,
    Hints hints,
    @Nullable String self,
    List<Way> ways,
    @Nullable Choice choice,
    @Nullable Part part,
    @Nullable HeldBack heldBack) {

  /**
   * The selected part of a document as it is now.
   *
   * @param count of the elements or values
   * @param text the beginning of the text that a reader sees of it
   */
  public record Part(int count, String text) {

    private static final int MAX_TEXT = 500;

    static Part of(Selected selected) {
      String text = selected.text();
      boolean fits = text.codePointCount(0, text.length()) <= MAX_TEXT;
      return new Part(
          selected.count(),
          fits ? text : text.substring(0, text.offsetByCodePoints(0, MAX_TEXT)) + "…");
    }
  }

  /** One of the redirects. */
  public record Redirect(int status, String from, String to, boolean permanent) {}

  /** The validators that the next fetch would send back. */
  public record Validators(@Nullable String etag, @Nullable String lastModified) {}

  /**
   * The origin's wishes for polling.
   *
   * @param ttlSeconds of the document
   * @param freshSeconds of HTTP
   * @param retryAfterSeconds for which it wants to be left alone
   * @param cycleSeconds of the syndication module
   * @param base the time from which the module's cycles count
   */
  public record Hints(
      @Nullable Long ttlSeconds,
      @Nullable Long freshSeconds,
      @Nullable Long retryAfterSeconds,
      @Nullable Long cycleSeconds,
      @Nullable Instant base,
      List<Integer> skipHours,
      List<DayOfWeek> skipDays) {}

  /**
   * One way.
   *
   * @param kind websub, rsscloud or poll
   * @param endpoint the hub or cloud; absent for polling
   * @param topic the URL by which that one knows the feed
   * @param demotedUntil when it will do again; absent where it will do now
   * @param reason why it was refused, by the hub or cloud or for its failures; absent where it was
   *     not
   */
  public record Way(
      String kind,
      @Nullable String endpoint,
      @Nullable String topic,
      @Nullable Instant demotedUntil,
      @Nullable String reason) {}

  /**
   * The transport that is chosen.
   *
   * @param reason a sentence
   * @param nextPoll when it would be polled: first of all, or as long as the endpoint has not
   *     confirmed
   */
  public record Choice(
      String kind, @Nullable String endpoint, String reason, @Nullable Instant nextPoll) {}
}
