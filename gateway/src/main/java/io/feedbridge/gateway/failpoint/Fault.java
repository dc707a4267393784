package io.feedbridge.gateway.failpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A step of a stage that fails for one feed as if the code had a defect. {@code
 * -Dfeedbridge.fault=digest:exception:6@/bad.xml} throws a RuntimeException the first six times
 * that a topic which ends with {@code /bad.xml} is digested; {@code error} in place of {@code
 * exception} throws an Error. Several faults are separated by commas. Without the property passing
 * one costs a comparison. Thread-safe.
 */
public enum Fault {
  /** A delivery or a fetched document is read and compared. */
  DIGEST,
  /** The outcome of a work item is about to be written. */
  RECORD,
  /** A document for subscribers or webhooks is made. */
  RENDER,
  /** A document for one subscriber or webhook is signed. */
  SIGN;

  /** The system property that names the faults. */
  public static final String PROPERTY = "feedbridge.fault";

  // It changes only in a process that is to fail.
  @SuppressWarnings("ImmutableEnumChecker")
  private final List<Armed> armed;

  Fault() {
    List<Armed> mine = new ArrayList<>();
    for (String one : System.getProperty(PROPERTY, "").split(",", -1)) {
      if (one.startsWith(name().toLowerCase(Locale.ROOT) + ":")) {
        mine.add(Armed.of(one));
      }
    }
    armed = List.copyOf(mine);
  }

  private record Armed(boolean error, String end, AtomicInteger left) {
    static Armed of(String text) {
      String[] parts = text.split("[:@]", 4);
      return new Armed(
          parts[1].equals("error"), parts[3], new AtomicInteger(Integer.parseInt(parts[2])));
    }

    boolean isDue(String topic) {
      return topic.endsWith(end) && left.getAndUpdate(times -> Math.max(0, times - 1)) > 0;
    }
  }

  /** Fails here if that was asked for of this topic. */
  public void in(String topic) {
    if (armed.isEmpty()) {
      return;
    }
    for (Armed one : armed) {
      if (one.isDue(topic)) {
        String message = "the fault %s of %s".formatted(this, one.end);
        if (one.error) {
          throw new StackOverflowError(message);
        }
        throw new IllegalStateException(message);
      }
    }
  }
}
