package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An event of the log as the API shows it. */
public record EventView(
    String id,
    Instant at,
    String topic,
    String via,
    boolean status,
    List<Entry> entries,
    @Nullable StepView step) {

  /** An entry of an event. */
  public record Entry(
      String id, @Nullable String title, @Nullable String permalink, String change) {

    /** The title, or the id of an entry without one. */
    public String name() {
      return title == null || title.isBlank() ? id : title;
    }
  }
}
