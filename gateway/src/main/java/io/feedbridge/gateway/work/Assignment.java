package io.feedbridge.gateway.work;

import java.util.List;

/**
 * Work for one feed, handed out to one worker: either a run of {@link WorkItem.Light} items, which
 * one fetch serves, or a single {@link WorkItem.Fat} one.
 *
 * @param items never empty, in the order in which they were added
 * @param position the position that the store writes when all items are done
 */
public record Assignment(long feedId, List<WorkItem> items, Position position) {

  public Assignment {
    items = List.copyOf(items);
    if (items.isEmpty()) {
      throw new IllegalArgumentException("an assignment must have at least one item");
    }
  }
}
