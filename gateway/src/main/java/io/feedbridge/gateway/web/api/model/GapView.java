package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.sql.deliveries.Consumers;
import io.feedbridge.gateway.web.common.Answers;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Events that a subscriber was not sent.
 *
 * @param after the newest event that the subscriber was known to have before
 * @param upTo the event behind which it went on
 * @param events how many of its feed lay between; absent for one that has several, of which not all
 *     may have been for it
 */
public record GapView(String after, String upTo, @Nullable Long events, Instant at, String reason) {
  /** A gap of a subscription. */
  public static GapView of(Gap gap) {
    return new GapView(
        Long.toString(gap.after()),
        Long.toString(gap.upTo()),
        gap.events(),
        gap.at(),
        Answers.word(gap.reason()));
  }

  /** A gap of a webhook. */
  public static GapView of(Consumers.Gap gap) {
    return new GapView(
        Long.toString(gap.after()),
        Long.toString(gap.upTo()),
        null,
        gap.at(),
        Answers.word(Gap.Reason.RETENTION));
  }
}
