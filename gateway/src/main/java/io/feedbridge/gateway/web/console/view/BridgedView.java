package io.feedbridge.gateway.web.console.view;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bridged feed as its page shows it.
 *
 * @param topic the feed itself
 * @param self the URL of the bridged feed; empty where there is none
 * @param problem why there is no feed; empty where there is one
 * @param items the newest entries
 */
public record BridgedView(String topic, String self, String problem, List<Item> items) {

  /** Copies the list. */
  public BridgedView {
    items = List.copyOf(items);
  }

  /**
   * An entry.
   *
   * @param link empty if it has none
   * @param at the time of its publication or change, if it is known
   */
  public record Item(String title, String link, @Nullable Instant at) {}
}
