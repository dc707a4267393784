package io.feedbridge.gateway.ingest;

import io.feedbridge.normalizer.Served;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What came of fetching a topic. */
sealed interface FetchResult {

  /** Its bytes, whether or not they differ from those before. */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  record Fresh(
      int code,
      byte[] body,
      Served served,
      String finalUrl,
      List<String> linkHeaders,
      @Nullable String etag,
      @Nullable String lastModified,
      Duration took)
      implements FetchResult {}

  /** The origin says that nothing changed. */
  record NotModified(String finalUrl, Duration took) implements FetchResult {}

  /** The origin says that it is there no more. */
  record Gone() implements FetchResult {}

  /** The gateway stopped in the middle; the work stays, and is done after the restart. */
  record CutOff() implements FetchResult {}

  /**
   * It could not be had.
   *
   * @param code the HTTP status, if there was an answer
   * @param message a sentence for people
   * @param retryAfter how long the origin asked to be left alone
   */
  record Failed(@Nullable Integer code, String message, Optional<Duration> retryAfter)
      implements FetchResult {}
}
