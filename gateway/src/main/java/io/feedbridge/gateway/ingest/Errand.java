package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.util.Comparator;
import java.util.List;

/**
 * What is kept of an assignment while it is fetched for.
 *
 * @param assignment with one item for all
 * @param via how it came in; a ping counts for more than the poll timer: changed bytes after it are
 *     news (DESIGN §1)
 * @param polled whether the poll timer asked for it, alone or beside others
 * @param newest of its items
 */
record Errand(Assignment assignment, Via via, boolean polled, WorkItem newest) {

  static Errand of(Assignment assignment) {
    List<WorkItem> items = assignment.items();
    WorkItem newest = items.stream().max(Comparator.comparing(WorkItem::receivedAt)).orElseThrow();
    // The bytes of a delivery that was not believed are needed no more.
    WorkItem light = new WorkItem.Light(newest.feedId(), newest.via(), newest.receivedAt());
    return new Errand(
        new Assignment(assignment.feedId(), List.of(light), assignment.position()),
        items.stream().map(WorkItem::via).filter(Via::isPing).findFirst().orElse(Via.POLL),
        items.stream().anyMatch(item -> !item.via().isPing()),
        light);
  }
}
