package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.CallException;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Validators;
import io.feedbridge.normalizer.Limits;
import io.feedbridge.normalizer.Served;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** Fetches topics, conditionally where it can. */
final class Fetcher {

  /** From looking up the name to the last byte. */
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** After decompression. */
  static final int MAX_BODY = Limits.MAX_BYTES;

  private static final int OK = 200;
  private static final int NOT_MODIFIED = 304;
  private static final int GONE = 410;
  private static final String ACCEPT =
      "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9,"
          + " text/xml;q=0.9, */*;q=0.8";

  private final OutboundClient client;
  private final LocalTopics own;
  private final String userAgent;
  private final Clock clock;

  Fetcher(OutboundClient client, LocalTopics own, String userAgent, Clock clock) {
    this.client = client;
    this.own = own;
    this.userAgent = userAgent;
    this.clock = clock;
  }

  /** One fetch. Blocks. */
  FetchResult fetch(FollowedFeed feed) {
    Optional<LocalTopics.Document> document = own.find(feed.url());
    return document.isPresent() ? read(feed, document.get()) : request(feed);
  }

  private static FetchResult read(FollowedFeed feed, LocalTopics.Document document) {
    return new FetchResult.Fresh(
        OK,
        document.bytes(),
        new Served(Urls.base(feed.url(), feed.topic()), document.contentType(), null, null),
        feed.url(),
        List.of(),
        null,
        null,
        Duration.ZERO);
  }

  private FetchResult request(FollowedFeed feed) {
    Call.Builder call =
        Call.get(feed.url(), Purpose.FETCH)
            .header("Accept", ACCEPT)
            .header("User-Agent", userAgent)
            .acceptCompressed()
            .redirects(Call.MAX_REDIRECTS)
            .refuseBodyOver(MAX_BODY)
            .timeout(TIMEOUT);
    // Validators go back byte for byte as they came.
    if (feed.validators().etag() != null) {
      call.header("If-None-Match", feed.validators().etag());
    }
    if (feed.validators().lastModified() != null) {
      call.header("If-Modified-Since", feed.validators().lastModified());
    }
    long start = System.nanoTime();
    try {
      Reply reply = client.send(call.build()).join();
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      return reply.status() == NOT_MODIFIED && isUnconditional(feed.validators())
          ? new FetchResult.Failed(
              NOT_MODIFIED, "the origin answered 304 to what was no question", Optional.empty())
          : read(feed, reply, took);
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof CallException broken
          && broken.failure() == CallException.Failure.CLOSED) {
        return new FetchResult.CutOff();
      }
      return new FetchResult.Failed(null, String.valueOf(cause.getMessage()), Optional.empty());
    }
  }

  private static boolean isUnconditional(Validators validators) {
    return validators.etag() == null && validators.lastModified() == null;
  }

  private FetchResult read(FollowedFeed feed, Reply reply, Duration took) {
    if (reply.status() == NOT_MODIFIED) {
      return new FetchResult.NotModified(reply.finalUrl(), took);
    }
    if (reply.status() == GONE) {
      return new FetchResult.Gone();
    }
    if (!reply.successful()) {
      return new FetchResult.Failed(
          reply.status(),
          "the origin answered with status " + reply.status(),
          RetryAfter.of(reply, clock.instant()));
    }
    return new FetchResult.Fresh(
        reply.status(),
        reply.body(),
        new Served(
            Urls.base(reply.finalUrl(), feed.topic()),
            reply.headers().first("Content-Type").orElse(null),
            reply.headers().first("Content-Language").orElse(null),
            reply.headers().first("Content-Location").orElse(null)),
        reply.finalUrl(),
        reply.headers().all("Link"),
        reply.headers().first("ETag").orElse(null),
        reply.headers().first("Last-Modified").orElse(null),
        took);
  }
}
