package io.feedbridge.gateway.fanout;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Hosts that have room for somebody who waits, while all together have none: one line per kind and
 * for those that answer and the others, each line in turn. Guarded by {@link HostWindows}.
 */
final class HostLines {

  private final List<Line> lines =
      Stream.of(HostWindows.Kind.values())
          .flatMap(kind -> Stream.of(new Line(kind, true), new Line(kind, false)))
          .toList();

  private int turn;

  private record Line(HostWindows.Kind kind, boolean answering, Set<HostWindow> hosts) {
    Line(HostWindows.Kind kind, boolean answering) {
      this(kind, answering, new LinkedHashSet<>());
    }
  }

  /** Whose turn it is: one of those who wait at that host. */
  record Turn(HostWindow window, HostWindows.Kind kind) {}

  /** Puts a host into the lines in which it waits for a place, or takes it out. */
  void update(HostWindow window) {
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
  Optional<Turn> next(Occupancy occupancy) {
    for (int inVain = 0; inVain < lines.size(); inVain++) {
      turn = (turn + 1) % lines.size();
      Line line = lines.get(turn);
      if (!line.hosts.isEmpty() && occupancy.hasRoom(line.kind, line.answering)) {
        HostWindow window = line.hosts.iterator().next();
        // If it wants more it has to stand in line again.
        line.hosts.remove(window);
        return Optional.of(new Turn(window, line.kind));
      }
    }
    return Optional.empty();
  }
}
