package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.crash.Journal.Line;
import java.util.List;

/** The lines of a journal about the followers that faults name. */
final class Excerpt {

  private final List<Fact.Fault> faults;
  private final StringBuilder text = new StringBuilder();

  private Excerpt(List<Fact.Fault> faults) {
    this.faults = faults;
  }

  static String of(List<Line> journal, List<Fact.Fault> faults) {
    Excerpt excerpt = new Excerpt(faults);
    journal.forEach(excerpt::add);
    return excerpt.text.toString();
  }

  private boolean isNamed(String path) {
    return faults.stream()
        .anyMatch(
            fault ->
                fault.what().contains(": " + path + " (")
                    || fault.what().contains(": " + path + ":"));
  }

  private void add(Line line) {
    if (line.fact() instanceof Fact.Arrived one && isNamed(one.follower().path())) {
      text.append(
          "%d %s arrived %d %s%n"
              .formatted(line.millis(), one.follower(), one.event(), one.entries()));
    } else if (line.fact() instanceof Fact.Answered one && isNamed(one.follower().path())) {
      text.append(
          "%d %s answered %d %d%n"
              .formatted(line.millis(), one.follower(), one.event(), one.status()));
    } else if (line.fact() instanceof Fact.Continued one
        && isNamed(one.arrived().follower().path())) {
      Fact.Arrived more = one.arrived();
      text.append(
          "%d %s took part %d of %d %s%n"
              .formatted(line.millis(), more.follower(), one.part(), more.event(), more.entries()));
    } else if (line.fact() instanceof Fact.Digested one
        && isNamed(one.arrived().follower().path())) {
      text.append(
          "%d %s digest %d %s%n"
              .formatted(
                  line.millis(), one.arrived().follower(), one.dueAt(), one.arrived().entries()));
    } else if (line.fact() instanceof Fact.DigestTaken one && isNamed(one.follower().path())) {
      text.append("%d %s took digest %d%n".formatted(line.millis(), one.follower(), one.dueAt()));
    } else if (line.fact() instanceof Fact.DigestsDue due) {
      text.append("%d digests are due: %d%n".formatted(line.millis(), due.at()));
    } else if (line.fact() instanceof Fact.Ended ended) {
      text.append("%d end of life %d: %s%n".formatted(line.millis(), ended.life(), ended.how()));
      ended.left().subscriptions().forEach((callback, row) -> add(ended.left(), callback, row));
      ended
          .left()
          .webhooks()
          .forEach(
              (callback, endpoint) -> {
                String path = callback.substring(callback.lastIndexOf('/') + 1);
                if (isNamed(path)) {
                  text.append("    %s %s%n".formatted(path, endpoint));
                }
              });
    }
  }

  private void add(Snapshot left, String callback, Snapshot.Subscribed row) {
    String path = callback.substring(callback.lastIndexOf('/') + 1);
    if (isNamed(path)) {
      text.append(
          "    %s %d %s %s%n".formatted(path, row.id(), row.lag(), left.feeds().get(row.topic())));
    }
  }
}
