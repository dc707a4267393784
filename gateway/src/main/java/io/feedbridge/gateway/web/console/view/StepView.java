package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A step in the history of a feed as the API shows it. */
public record StepView(
    String id,
    Instant at,
    Instant lastAt,
    long times,
    String kind,
    String outcome,
    String via,
    @Nullable Integer status,
    @Nullable String message,
    String state,
    @Nullable String stateBefore,
    int newEntries,
    @Nullable String firstEventId,
    @Nullable String title,
    long reports,
    List<Arrival> arrivals) {

  /** The arrival of a ping, push or poll. */
  public record Arrival(String via, Instant at, @Nullable String sender) {}

  /** How many arrivals the step counts beside the ones that it names. */
  public long others() {
    return Math.max(0, reports - arrivals.size());
  }
}
