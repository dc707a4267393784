package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An attempt to deliver as the API shows it. */
public record DeliveryView(
    String id,
    Instant at,
    @Nullable String eventId,
    @Nullable String title,
    int attempt,
    String kind,
    String outcome,
    @Nullable Integer status,
    @Nullable String error,
    @Nullable Long durationMs,
    int bytes) {

  /** A delivery in full; its exchange is absent where it is not kept. */
  public record One(DeliveryView delivery, @Nullable Exchange exchange) {}

  /** A request and its answer. */
  public record Exchange(Sent request, @Nullable Answer answer, @Nullable String error) {}

  /** A header field. */
  public record Field(String name, String value) {}

  /** A request. */
  public record Sent(String method, String url, List<Field> headers) {}

  /** An answer, whose body may have been cut. */
  public record Answer(int status, List<Field> headers, String body, boolean cut) {}

  /** The title of its event, or its number. */
  public String event() {
    return title == null ? "Event " + eventId : title;
  }

  /** Whether it failed; one that is under way has not. */
  public boolean failed() {
    return !outcome.equals("delivered") && !outcome.equals("under_way");
  }
}
