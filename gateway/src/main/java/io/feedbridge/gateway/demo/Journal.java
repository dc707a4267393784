package io.feedbridge.gateway.demo;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * The commentary: lines from many threads, in the order of their events. Each line is held for a
 * moment, in which an earlier one may still come. Thread-safe.
 */
final class Journal implements AutoCloseable {

  private static final Duration HOLD = Duration.ofMillis(60);
  private static final Duration LONGEST_END = Duration.ofSeconds(1);

  private final Screen screen;
  private final Clock clock;
  private final DelayQueue<Line> lines = new DelayQueue<>();
  private final AtomicLong said = new AtomicLong();
  private final Thread writer = new Thread(this::write, "journal");

  /** A journal that writes to the screen, which is its own from now on. */
  Journal(Screen screen, Clock clock) {
    this.screen = screen;
    this.clock = clock;
    writer.setDaemon(true);
    writer.start();
  }

  /** Adds a line on an act of an actor, now. */
  void say(Actor who, String what) {
    say(clock.instant(), who, what);
  }

  /** Adds a line on an act of an actor at a recent time. */
  void say(Instant at, Actor who, String what) {
    add(Kind.TEXT, at, millis -> line(millis, who, what));
  }

  /**
   * Says that a subscriber just received an item, which completes a crossing.
   *
   * @return when that was
   */
  Instant say(Actor who, String what, Crossing crossing) {
    Instant now = clock.instant();
    String tag = screen.styled(Screen.Style.GREEN, "[" + crossing + "]");
    add(Kind.TEXT, now, millis -> line(millis, who, what) + "  " + tag);
    return now;
  }

  /**
   * Begins a chapter.
   *
   * @return from when its times are counted
   */
  Instant begin(String title) {
    Instant now = clock.instant();
    add(Kind.CHAPTER, now, none -> "\n" + screen.styled(Screen.Style.BOLD, title));
    return now;
  }

  /** Writes text without time or actor. */
  void print(String text) {
    add(Kind.TEXT, clock.instant(), none -> text);
  }

  /** A text in a style, for {@link #print}. */
  String styled(Screen.Style style, String text) {
    return screen.styled(style, text);
  }

  private String line(long millis, Actor who, String what) {
    return screen.styled(Screen.Style.DIM, "%6d ms".formatted(millis))
        + "  "
        + screen.styled(who.style(), "%-10s".formatted(who.label()))
        + "  "
        + what;
  }

  private void add(Kind kind, Instant at, Function<Long, String> text) {
    lines.add(new Line(kind, at.toEpochMilli(), said.incrementAndGet(), text));
  }

  private void write() {
    long chapter = clock.millis();
    try {
      for (Line line = lines.take(); line.kind != Kind.END; line = lines.take()) {
        chapter = line.kind == Kind.CHAPTER ? line.at : chapter;
        screen.print(line.text.apply(line.at - chapter));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes all earlier lines, and no later line. */
  @Override
  public void close() {
    close(clock.instant());
  }

  /** Writes all lines of times before the end, and no others. */
  void close(Instant end) {
    add(Kind.END, end, none -> "");
    try {
      writer.join(LONGEST_END.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private enum Kind {
    TEXT,
    CHAPTER,
    END
  }

  /**
   * A line of the commentary; lines of the same millisecond keep the order in which they were
   * added.
   */
  private final class Line implements Delayed {
    private final Kind kind;
    private final long at;
    private final long number;
    private final Function<Long, String> text;

    Line(Kind kind, long at, long number, Function<Long, String> text) {
      this.kind = kind;
      this.at = at;
      this.number = number;
      this.text = text;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(at + HOLD.toMillis() - clock.millis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      Line that = (Line) other;
      return at == that.at ? Long.compare(number, that.number) : Long.compare(at, that.at);
    }
  }
}
