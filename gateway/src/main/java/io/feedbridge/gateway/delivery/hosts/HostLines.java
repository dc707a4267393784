package io.feedbridge.gateway.delivery.hosts;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Hosts that have room for a waiting delivery, while the bound of all hosts together is reached:
 * per kind of delivery one line for hosts that answer and one for the others, each line in turn.
 * Guarded by {@link HostBulkheads}.
 */
final class HostLines {

  private final List<Line> lines =
      Stream.of(DeliveryKind.values())
          .flatMap(kind -> Stream.of(new Line(kind, true), new Line(kind, false)))
          .toList();

  private int turn;

  private record Line(DeliveryKind kind, boolean answering, Set<HostBulkhead> hosts) {
    Line(DeliveryKind kind, boolean answering) {
      this(kind, answering, new LinkedHashSet<>());
    }
  }

  /** The host and the kind of delivery whose turn it is: one of the deliveries that wait there. */
  record Entrant(HostBulkhead window, DeliveryKind kind) {}

  /** Puts a host into the lines in which it waits for a place, or takes it out. */
  void update(HostBulkhead window) {
    if (!window.isAwaited() && !window.inLine) {
      // As at nearly all deliveries.
      return;
    }
    window.inLine = false;
    for (Line line : lines) {
      if (line.answering == window.isAnswering() && window.wants(line.kind)) {
        line.hosts.add(window);
        window.inLine = true;
      } else {
        line.hosts.remove(window);
      }
    }
  }

  /** Takes out the head of the next line for which there is room; empty if there is none. */
  Optional<Entrant> next(Occupancy occupancy) {
    for (int inVain = 0; inVain < lines.size(); inVain++) {
      turn = (turn + 1) % lines.size();
      Line line = lines.get(turn);
      if (!line.hosts.isEmpty() && occupancy.hasRoom(line.kind, line.answering)) {
        HostBulkhead window = line.hosts.iterator().next();
        // If it wants more it has to stand in line again.
        line.hosts.remove(window);
        return Optional.of(new Entrant(window, line.kind));
      }
    }
    return Optional.empty();
  }
}
