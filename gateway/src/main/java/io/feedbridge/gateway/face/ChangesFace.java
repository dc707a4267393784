package io.feedbridge.gateway.face;

import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.store.Pings;
import io.feedbridge.gateway.store.SitePing;
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
 * Who pinged lately: {@code /changes.xml}, {@code /shortChanges.xml}, and one archive per past
 * hour. What is answered changes once a minute at most, so that readers can ask conditionally.
 */
final class ChangesFace {

  private static final Duration CHANGES = Duration.ofHours(1);
  private static final Duration SHORT_CHANGES = Duration.ofMinutes(5);
  private static final int HOURS_OF_A_DAY = 24;
  private static final int NOT_FOUND = 404;

  private final Pings pings;
  private final Clock clock;
  private final Executor blocking;

  ChangesFace(Pings pings, Clock clock, Executor blocking) {
    this.pings = pings;
    this.clock = clock;
    this.blocking = blocking;
  }

  /** {@code GET /changes.xml}: the last hour. */
  CompletionStage<Response> changes(Request request) {
    return recent(request, CHANGES);
  }

  /** {@code GET /shortChanges.xml}: the last five minutes. */
  CompletionStage<Response> shortChanges(Request request) {
    return recent(request, SHORT_CHANGES);
  }

  private CompletionStage<Response> recent(Request request, Duration span) {
    return CompletableFuture.supplyAsync(
        () -> {
          // A ping of the minute under way is told of at once, as one of 0 minutes ago.
          Instant minute = clock.instant().truncatedTo(ChronoUnit.MINUTES);
          Instant end = minute.plus(1, ChronoUnit.MINUTES);
          List<SitePing> found = pings.between(minute.minus(span), end);
          Instant newest =
              found.stream().map(SitePing::at).filter(minute::isBefore).findFirst().orElse(minute);
          byte[] xml = document(minute, pings.count(), found);
          return Conditional.of(request, RpcProtocol.CONTENT_TYPE, xml, newest);
        },
        blocking);
  }

  /** {@code GET /YYYY/MM/DD/HH.xml}: an hour that is over; 01 is the first of a day. */
  CompletionStage<Response> archive(Request request) {
    Optional<Instant> begin = begin(request.pathVariables());
    Instant now = clock.instant();
    if (begin.isEmpty() || begin.get().plus(CHANGES).isAfter(now)) {
      return CompletableFuture.completedFuture(
          Response.text(
              NOT_FOUND, "there is an archive for each hour that is over, none for this\n"));
    }
    return CompletableFuture.supplyAsync(
        () -> {
          // Stored times are whole milliseconds, and the hour's own begin is part of it.
          Instant after = begin.get().minusMillis(1);
          Instant end = begin.get().plus(CHANGES);
          List<SitePing> found = pings.between(after, end.minusMillis(1));
          byte[] xml = document(end, found.size(), found);
          return Conditional.of(request, RpcProtocol.CONTENT_TYPE, xml, end);
        },
        blocking);
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
