package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.client.Hop;
import io.feedbridge.normalizer.Served;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What came of fetching a topic. */
sealed interface FetchResult {

  /**
   * How an answer was come by.
   *
   * @param url that gave it in the end
   * @param hops the redirects on the way, those of XML documents as permanent ones
   * @param toPage the redirects on the way to a page that led to it, which the topic is then
   * @param isDiscovered whether a page led to it
   * @param fresh how long it says that it stays as it is
   * @param took from the request to the last byte
   */
  record Way(
      String url,
      List<Hop> hops,
      List<Hop> toPage,
      boolean isDiscovered,
      @Nullable Duration fresh,
      Duration took) {
    public Way {
      hops = List.copyOf(hops);
      toPage = List.copyOf(toPage);
    }

    /** An answer without redirects. */
    static Way straight(String url, Duration took) {
      return new Way(url, List.of(), List.of(), false, null, took);
    }

    /** Whether the resource has moved for good: every redirect must say so. */
    boolean isMove() {
      return !hops.isEmpty() && hops.stream().allMatch(Hop::permanent);
    }
  }

  /** Its bytes, whether or not they differ from those before. */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  record Fresh(
      int code,
      byte[] body,
      Served served,
      Way way,
      List<String> linkHeaders,
      @Nullable String etag,
      @Nullable String lastModified)
      implements FetchResult {}

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
   * There was no room in memory for the document: it is fetched again, and nobody is to blame.
   *
   * @param message a sentence for people
   */
  record NoRoom(String message) implements FetchResult {}

  /**
   * It could not be had.
   *
   * @param code the HTTP status, if there was an answer
   * @param message a sentence for people
   * @param retryAfter how long the origin asked to be left alone
   * @param way as far as it went
   */
  record Failed(@Nullable Integer code, String message, Optional<Duration> retryAfter, Way way)
      implements FetchResult {}

  /** Bytes of the document that it brought. */
  default int bytes() {
    return this instanceof Fresh fresh ? fresh.body.length : 0;
  }

  /** Whether the origin answered at all. */
  default boolean answered() {
    return !(this instanceof Failed failed) || failed.code != null;
  }
}
