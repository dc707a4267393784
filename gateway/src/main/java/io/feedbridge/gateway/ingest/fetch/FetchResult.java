package io.feedbridge.gateway.ingest.fetch;

import io.feedbridge.gateway.client.address.Hop;
import io.feedbridge.gateway.ingest.hosts.Origin;
import io.feedbridge.gateway.ingest.hosts.OriginWindow;
import io.feedbridge.gateway.ingest.hosts.RateLimit;
import io.feedbridge.gateway.ingest.hosts.SiteAnswer;
import io.feedbridge.gateway.ingest.hosts.SiteGate;
import io.feedbridge.gateway.store.Barrier;
import io.feedbridge.normalizer.Selected;
import io.feedbridge.normalizer.Served;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The result of fetching a topic. */
public sealed interface FetchResult {

  int UNAUTHORIZED = 401;

  /** Goes behind the message of another origin's answer. */
  String CREDENTIALS_NOT_SENT =
      "; it is not the origin of the feed's own URL, and so the feed's credentials were not sent"
          + " there";

  int TOO_MANY_REQUESTS = 429;
  int NOT_CHANGED = 304;
  int SERVER_ERROR = 500;

  /**
   * The way to an answer.
   *
   * @param url the URL that gave the answer in the end
   * @param hops the redirects on the way; redirects of XML documents count as permanent
   * @param toPage the redirects on the way to a page that led to the feed; then the topic is the
   *     page
   * @param isDiscovered whether a page led to the answer
   * @param fresh the time for which the answer declares itself fresh
   * @param took from the request to the last byte
   * @param limit the requests that the answer leaves
   * @param address from which the answer came; null if it is not known
   */
  record Way(
      String url,
      List<Hop> hops,
      List<Hop> toPage,
      boolean isDiscovered,
      @Nullable Duration fresh,
      Duration took,
      RateLimit limit,
      @Nullable InetAddress address) {

    private static final Duration HALF_A_MILLISECOND = Duration.ofNanos(500_000);

    public Way {
      hops = List.copyOf(hops);
      toPage = List.copyOf(toPage);
    }

    /** An answer without redirects. */
    public static Way straight(String url, Duration took) {
      return new Way(url, List.of(), List.of(), false, null, took, RateLimit.NONE, null);
    }

    /** How long it took, in words. */
    public String seconds() {
      // Without a formatter, which costs more than one entry that is read: each fetch says this.
      return BigDecimal.valueOf(took.plus(HALF_A_MILLISECOND).toMillis(), 3).toPlainString() + "s";
    }

    /** Whether the resource has moved for good: every redirect must say so. */
    public boolean isMove() {
      return !hops.isEmpty() && hops.stream().allMatch(Hop::permanent);
    }
  }

  /**
   * A document, whether or not its bytes differ from the bytes of the fetch before.
   *
   * @param part the part that {@code body} is, of a topic that selects one
   */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  record Fresh(
      int code,
      byte[] body,
      Served served,
      Way way,
      List<String> linkHeaders,
      @Nullable String etag,
      @Nullable String lastModified,
      @Nullable Selected part)
      implements FetchResult {

    /** A whole document. */
    public Fresh(
        int code,
        byte[] body,
        Served served,
        Way way,
        List<String> linkHeaders,
        @Nullable String etag,
        @Nullable String lastModified) {
      this(code, body, served, way, linkHeaders, etag, lastModified, null);
    }

    /** A part of this document. */
    public Fresh of(Selected part) {
      Served alone = Served.at(served.url(), part.contentType());
      return new Fresh(code, part.bytes(), alone, way, linkHeaders, etag, lastModified, part);
    }
  }

  /** The origin says that nothing changed. */
  record NotModified(Way way) implements FetchResult {}

  /**
   * The origin says that it is there no more.
   *
   * @param code the HTTP status: 410, unless the document itself says so
   */
  record Gone(int code, String message, Way way) implements FetchResult {}

  /** The gateway stopped in the middle; the work stays, and is done after the restart. */
  record CutOff() implements FetchResult {}

  /**
   * There was no room in memory for the document: it is fetched again, and the host is not to
   * blame.
   *
   * @param message a human-readable sentence
   */
  record NoRoom(String message) implements FetchResult {}

  /**
   * A host on the way was called too often for strangers: no request was sent to it, and the topic
   * is fetched again later.
   *
   * @param message a human-readable sentence
   */
  record TooOften(String message) implements FetchResult {}

  /**
   * The feed led to a site that takes no request now: none was sent there, and the feed is fetched
   * again when that site takes it.
   *
   * @param to where it led
   */
  record HeldBack(Origin to, SiteGate.Wait early) implements FetchResult {

    /** The wait with its reason as told of the feed. */
    public SiteGate.Wait told() {
      String reason = "it leads to %s, and there: %s".formatted(to.host(), early.reason());
      return new SiteGate.Wait(early.at(), reason);
    }
  }

  /**
   * It could not be had.
   *
   * @param code the HTTP status, if there was an answer
   * @param message a human-readable sentence
   * @param retryAfter how long the origin asked to be left alone
   * @param way as far as it went
   * @param barrier the obstacle besides the origin, if there is one
   */
  record Failed(
      @Nullable Integer code,
      String message,
      Optional<Duration> retryAfter,
      Way way,
      Barrier.@Nullable Kind barrier)
      implements FetchResult {

    /** An origin that fails. */
    public Failed(@Nullable Integer code, String message, Optional<Duration> retryAfter, Way way) {
      this(code, message, retryAfter, way, null);
    }

    /** A topic whose host or site is not to be asked for so long, which bars no one from it. */
    public static Failed early(String url, String message, Duration until) {
      return new Failed(null, message, Optional.of(until), Way.straight(url, Duration.ZERO), null);
    }

    /** Whether no request was sent, because the time for it has not come. */
    public boolean isEarly() {
      return code == null && barrier == null && retryAfter.isPresent();
    }

    /** A topic that is not to be asked for so long. */
    public static Failed putOff(String url, String message, Duration until) {
      Way way = Way.straight(url, Duration.ZERO);
      return new Failed(null, message, Optional.of(until), way, Barrier.Kind.RULE);
    }

    /** A topic that the gateway itself failed to process. */
    public static Failed unprocessed(String url, String message) {
      return new Failed(null, message, Optional.empty(), Way.straight(url, Duration.ZERO));
    }
  }

  /** Bytes of the document that it brought. */
  default int bytes() {
    return this instanceof Fresh fresh ? fresh.body.length : 0;
  }

  /** Where the fetch led in the end, as far as it is known. */
  default Optional<String> url() {
    return this instanceof Gone ? Optional.empty() : wayTaken().map(Way::url);
  }

  /** The way that the fetch took, as far as it is known. */
  default Optional<Way> wayTaken() {
    if (this instanceof Fresh fresh) {
      return Optional.of(fresh.way);
    }
    if (this instanceof NotModified same) {
      return Optional.of(same.way);
    }
    if (this instanceof Gone gone) {
      return Optional.of(gone.way);
    }
    return this instanceof Failed failed ? Optional.of(failed.way) : Optional.empty();
  }

  /** The answer of a site, of which the pace is learnt; empty if no site answered. */
  default Optional<SiteAnswer> siteAnswer() {
    if (this instanceof Fresh fresh) {
      return Optional.of(
          new SiteAnswer(fresh.code, Optional.empty(), fresh.way.limit, fresh.way.address));
    }
    if (this instanceof NotModified same) {
      return Optional.of(
          new SiteAnswer(NOT_CHANGED, Optional.empty(), same.way.limit, same.way.address));
    }
    return this instanceof Failed failed && failed.code != null
        ? Optional.of(
            new SiteAnswer(failed.code, failed.retryAfter, failed.way.limit, failed.way.address))
        : Optional.empty();
  }

  /** The ending that the result means for its host. */
  default OriginWindow.Ending ending() {
    if (this instanceof CutOff || this instanceof NoRoom || this instanceof TooOften) {
      return OriginWindow.Ending.OWN;
    }
    if (!(this instanceof Failed failed)) {
      return bytes() > DocumentMemory.USUAL
          ? OriginWindow.Ending.LONG
          : OriginWindow.Ending.ANSWERED;
    }
    if (failed.code == null) {
      return OriginWindow.Ending.SILENT;
    }
    boolean refused = failed.code == TOO_MANY_REQUESTS || failed.code >= SERVER_ERROR;
    return refused ? OriginWindow.Ending.REFUSED : OriginWindow.Ending.ANSWERED;
  }
}
