package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An attempt to deliver as the API shows it. */
public record DeliveryView(
    String id,
    Instant at,
    @Nullable String eventId,
    int attempt,
    String kind,
    String outcome,
    @Nullable Integer status,
    @Nullable String error,
    @Nullable Long durationMs,
    int bytes) {

  /** Whether it failed; one that is under way has not. */
  public boolean failed() {
    return !outcome.equals("delivered") && !outcome.equals("under_way");
  }
}
