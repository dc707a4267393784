package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.ingest.throttle.Pings;
import io.feedbridge.gateway.work.Assignment;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The part of an assignment that is kept during its fetch.
 *
 * @param assignment with one item for all
 * @param via the origin of the assignment; a ping counts for more than the poll timer: changed
 *     bytes after it are news (DESIGN §1)
 * @param pings the pings that asked for the fetch
 * @param polled whether the poll timer asked for the fetch, alone or beside pings
 * @param newest the newest item of the assignment
 * @param since when the oldest ping arrived; without pings, the oldest item
 */
record FetchJob(
    Assignment assignment, Via via, Pings pings, boolean polled, WorkItem newest, Instant since) {

  long feedId() {
    return assignment.feedId();
  }

  private static Pings pings(List<WorkItem> items) {
    return new Pings(
        items.stream().map(WorkItem::via).filter(Via::isPing).collect(Collectors.toSet()),
        items.stream()
            .filter(item -> item.via() == Via.PING || item.via() == Via.PUBLISH)
            .flatMap(item -> Stream.ofNullable(item.sender()))
            .collect(Collectors.toSet()));
  }

  static FetchJob of(Assignment assignment) {
    List<WorkItem> items = assignment.items();
    WorkItem newest = items.stream().max(Comparator.comparing(WorkItem::receivedAt)).orElseThrow();
    // The bytes of a delivery that was not believed are needed no more.
    WorkItem light = new WorkItem.Light(newest.feedId(), newest.via(), newest.receivedAt());
    Via origin = items.stream().map(WorkItem::via).filter(Via::isPing).findFirst().orElse(Via.POLL);
    return new FetchJob(
        new Assignment(assignment.feedId(), List.of(light), assignment.position()),
        origin,
        pings(items),
        items.stream().anyMatch(item -> !item.via().isPing()),
        light,
        items.stream()
            .filter(item -> item.via().isPing() == origin.isPing())
            .map(WorkItem::receivedAt)
            .min(Comparator.naturalOrder())
            .orElse(newest.receivedAt()));
  }
}
