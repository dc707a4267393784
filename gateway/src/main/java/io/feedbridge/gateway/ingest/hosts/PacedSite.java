package io.feedbridge.gateway.ingest.hosts;

import io.feedbridge.gateway.ingest.hosts.LearntPace.Change;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The pace of one site, the turns of its fetches, and its place among others at its address. Not
 * thread-safe; its gate guards it.
 */
final class PacedSite {

  /** A rest of less than this and two requests is not kept over a restart. */
  static final Duration SHORT_REST = Duration.ofMinutes(1);

  final LearntPace pace;
  final SiteTurns turns = new SiteTurns();
  final boolean isGiven;
  boolean isKept;

  /** Its place among other sites; null if it has none. */
  SharedAddresses.@Nullable Member member;

  /** The pace by which the turns were last laid anew. */
  Duration laid = Duration.ZERO;

  PacedSite(Duration given, Duration longest) {
    isGiven = !given.isZero();
    pace = new LearntPace(given, longest);
  }

  /** The time between two turns: the site's own, unless others at its address slow it. */
  Duration pace(Instant now) {
    Duration own = pace.now(now);
    return member == null ? own : member.pace(own, now);
  }

  /** When others at its address let it come; null if now. */
  @Nullable Instant askOthers(boolean takesTurn, Instant now) {
    return member == null ? null : member.ask(takesTurn, pace.now(now), now);
  }

  /** A fetch asks that will come back. */
  void wanted(Instant now) {
    if (member != null) {
      member.wanted(pace.now(now), now);
    }
  }

  void sent(Instant now) {
    turns.sent(now, pace.now(now));
    if (member != null) {
      member.sent(now);
    }
  }

  void sentBesides(Instant now) {
    turns.sentBesides(now, pace.now(now));
    if (member != null) {
      member.sentBesides(now);
    }
  }

  /** Learns from an answer, unless the requests of others explain a refusal that tells nothing. */
  Change learn(SiteAnswer answer, Instant sentAt, Instant now) {
    boolean isOthers =
        member != null && member.explains(now) && answer.rest().isEmpty() && answer.isRefusal();
    return isOthers ? pace.refusedForOthers(now) : pace.learn(answer, sentAt, now);
  }

  /** Whether others have slowed it since its turns were laid. */
  boolean isSlowed(Instant now) {
    return member != null && pace(now).compareTo(laid) > 0;
  }

  /** Why a fetch is to come again later. */
  String reason(Instant now) {
    Duration each = pace.now(now);
    if (each.isZero() || pace.rest().isAfter(now.plus(each).plus(SHORT_REST))) {
      return "its site requested a pause (rate limit)";
    }
    int others = member == null ? 0 : member.others(now);
    return "its site permits one request in "
        + words(each)
        + (others == 0 ? "" : " and shares the address with " + sites(others));
  }

  private static String sites(int others) {
    return others == 1 ? "a site that refuses requests" : others + " sites that refuse requests";
  }

  private static String words(Duration pace) {
    long seconds = Math.max(1, pace.plusMillis(500).toSeconds());
    return seconds % 60 == 0 && seconds > 60 ? seconds / 60 + " min" : seconds + " s";
  }
}
