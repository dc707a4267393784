package io.feedbridge.gateway.web.cloud;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.publish.EntityTag;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.upstream.SitePing;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.Conditional;
import io.feedbridge.rsscloud.RecentPings;
import io.feedbridge.rsscloud.RpcProtocol;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The feeds that were pinged lately: {@code /changes.xml}, {@code /shortChanges.xml}, and one
 * archive per past hour. Each document is made once a minute at most, for all callers, and supports
 * conditional requests.
 */
public final class ChangesHandler {

  private static final Duration CHANGES = Duration.ofHours(1);
  private static final Duration SHORT_CHANGES = Duration.ofMinutes(5);
  private static final int HOURS_OF_A_DAY = 24;
  private static final int NOT_FOUND = 404;

  /** Bytes of documents that are kept: the two of this minute, and archives. */
  static final long KEPT = 16L << 20;

  private final Pings pings;
  private final Clock clock;
  private final Executor executor;
  private final CallerThreads archivists;
  private final AsyncCache<Span, Listing> kept;

  /**
   * The lists of a gateway.
   *
   * @param executor where the store is read and documents are made: apart from the threads that
   *     other requests wait for
   * @param archivists the same threads, for the archives, of which there are many
   */
  public ChangesHandler(Pings pings, Clock clock, Executor executor, CallerThreads archivists) {
    this.pings = pings;
    this.clock = clock;
    this.executor = executor;
    this.archivists = archivists;
    kept =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(KEPT)
            .weigher((Span span, Listing listing) -> Listing.OVERHEAD + listing.xml.length)
            .buildAsync();
  }

  /**
   * The time that a document is about.
   *
   * @param asOf the time from which ages count; the end of an hour in an archive, else a whole
   *     minute
   */
  private record Span(Instant asOf, Duration length, boolean archive) {}

  /** A document as it is sent to every caller. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  private record Listing(byte[] xml, String tag, Instant modified) {
    static final int OVERHEAD = 256;
  }

  /** {@code GET /changes.xml}: the last hour. */
  public CompletionStage<Response> changes(Request request) {
    return recent(request, CHANGES);
  }

  /** {@code GET /shortChanges.xml}: the last five minutes. */
  public CompletionStage<Response> shortChanges(Request request) {
    return recent(request, SHORT_CHANGES);
  }

  private CompletionStage<Response> recent(Request request, Duration length) {
    Span span = new Span(clock.instant().truncatedTo(ChronoUnit.MINUTES), length, false);
    return listed(
        request,
        kept.get(
            span, (wanted, any) -> CompletableFuture.supplyAsync(() -> latest(wanted), executor)));
  }

  /** {@code GET /YYYY/MM/DD/HH.xml}: an hour that is over; 01 is the first of a day. */
  public CompletionStage<Response> archive(Request request) {
    Optional<Instant> begin = begin(request.pathVariables());
    Instant now = clock.instant();
    if (begin.isEmpty() || begin.get().plus(CHANGES).isAfter(now)) {
      return CompletableFuture.completedFuture(
          Response.text(
              NOT_FOUND, "there is no archive of this hour: each archive is of a past hour\n"));
    }
    Span span = new Span(begin.get().plus(CHANGES), CHANGES, true);
    CompletableFuture<Listing> known = kept.getIfPresent(span);
    return listed(request, known != null ? known : archivists.begin(request, () -> once(span)));
  }

  /** Callers that ask for an archive while it is made wait for that one reading of the store. */
  private CompletableFuture<Listing> once(Span span) {
    CompletableFuture<Listing> begun = new CompletableFuture<>();
    CompletableFuture<Listing> known = kept.asMap().putIfAbsent(span, begun);
    if (known != null) {
      return known;
    }
    try {
      begun.complete(archived(span));
    } catch (RuntimeException | Error e) {
      begun.completeExceptionally(e);
    }
    return begun;
  }

  private static CompletionStage<Response> listed(
      Request request, CompletableFuture<Listing> made) {
    return made.thenApply(
        listing ->
            Conditional.of(
                request, RpcProtocol.CONTENT_TYPE, listing.xml, listing.tag, listing.modified));
  }

  private Listing latest(Span span) {
    // Pings of the minute under way that have come by now are 0 minutes old.
    Instant end = span.asOf.plus(1, ChronoUnit.MINUTES);
    List<SitePing> found = pings.between(span.asOf.minus(span.length), end);
    Instant newest =
        found.stream().map(SitePing::at).filter(span.asOf::isBefore).findFirst().orElse(span.asOf);
    return listing(document(span.asOf, pings.count(), found), newest);
  }

  private Listing archived(Span span) {
    // Stored times are whole milliseconds, and the hour's own begin is part of it.
    Instant after = span.asOf.minus(span.length).minusMillis(1);
    List<SitePing> found = pings.between(after, span.asOf.minusMillis(1));
    return listing(document(span.asOf, found.size(), found), span.asOf);
  }

  private static Listing listing(byte[] xml, Instant modified) {
    return new Listing(xml, EntityTag.of(xml), modified);
  }

  private static Optional<Instant> begin(Map<String, String> path) {
    String year = path.getOrDefault("year", "");
    String month = path.getOrDefault("month", "");
    String day = path.getOrDefault("day", "");
    String hour = path.getOrDefault("hour", "");
    if (!year.matches("[0-9]{4}") || !(month + day + hour).matches("[0-9]{6}")) {
      return Optional.empty();
    }
    int number = Integer.parseInt(hour);
    if (month.length() != 2 || day.length() != 2 || number < 1 || number > HOURS_OF_A_DAY) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          LocalDateTime.of(
                  Integer.parseInt(year),
                  Integer.parseInt(month),
                  Integer.parseInt(day),
                  number - 1,
                  0)
              .toInstant(ZoneOffset.UTC));
    } catch (DateTimeException noDay) {
      return Optional.empty();
    }
  }

  private static byte[] document(Instant updated, long count, List<SitePing> found) {
    List<RecentPings.Weblog> weblogs =
        found.stream()
            .map(
                ping ->
                    new RecentPings.Weblog(
                        ping.name(), ping.url(), Optional.ofNullable(ping.feed()), ping.at()))
            .toList();
    return new RecentPings(updated, count, weblogs).toXml();
  }
}
