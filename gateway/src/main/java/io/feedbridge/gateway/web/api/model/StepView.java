package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.store.feeds.FeedStep;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.EventTitles;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step as the API shows it; see {@link FeedStep}.
 *
 * @param kind fetch, push, or none
 * @param outcome such as news or unchanged
 * @param lastAt the time of the last of several equal steps
 * @param times how many equal steps this one stands for
 * @param status of the origin's answer; absent if there was none
 * @param stateBefore absent if the step did not change the feed's state
 * @param firstEventId the first event that the step appended; absent if it appended none
 * @param lastEventId the last event that the step appended
 * @param title of an entry of the first event; absent where the log has the event no more
 * @param reports how many pings, pushes and polls the step stands for
 * @param arrivals the first of them
 */
public record StepView(
    String id,
    Instant at,
    Instant lastAt,
    long times,
    String kind,
    String outcome,
    String via,
    @Nullable Long status,
    @Nullable String message,
    String state,
    @Nullable String stateBefore,
    int newEntries,
    int changedEntries,
    @Nullable String firstEventId,
    @Nullable String lastEventId,
    @Nullable String title,
    long reports,
    List<Arrival> arrivals) {

  /** A stored step, with the title of its first event. */
  public static StepView of(FeedStep step, EventTitles titles) {
    FeedStep.Kind kind = step.kind();
    return new StepView(
        Long.toString(step.id()),
        step.at(),
        step.lastAt(),
        step.times(),
        Answers.word(kind),
        Answers.word(step.outcome()),
        Answers.word(step.via()),
        step.code(),
        step.message(),
        Answers.word(step.state()),
        step.stateBefore() == null ? null : Answers.word(step.stateBefore()),
        step.fresh(),
        step.changed(),
        step.firstSeq() == null ? null : step.firstSeq().toString(),
        step.lastSeq() == null ? null : step.lastSeq().toString(),
        titles.of(step.firstSeq()),
        step.reports(),
        step.arrivals().stream()
            .map(one -> new Arrival(Answers.word(one.via()), one.at(), one.sender()))
            .toList());
  }

  /**
   * The arrival of a ping, push or poll.
   *
   * @param sender the caller's IP address, or the URL of the hub or cloud; absent if the gateway
   *     itself made it
   */
  public record Arrival(String via, Instant at, @Nullable String sender) {}

  /** How many arrivals the step counts beside the ones that it names. */
  public long others() {
    return Math.max(0, reports - arrivals.size());
  }
}
