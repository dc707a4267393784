package io.feedbridge.gateway.demo;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The show on a scene: turns of three acts each, in which one feed after the other gets a new item.
 */
final class Show {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  private final Scene scene;
  private final Journal journal;
  private final Clock clock;
  private final CompletableFuture<Boolean> stop;
  private final Pace pace;
  private int turns;
  private int items;

  /**
   * The longest waits of a show.
   *
   * @param settling until all parties are subscribed
   * @param patience until an item has reached all subscribers
   * @param breath before each act, for the audience to read along
   * @param pause between two turns
   */
  record Pace(Duration settling, Duration patience, Duration breath, Duration pause) {

    /** For human viewers; a turn in which nothing arrives is over after 15 s and three breaths. */
    static final Pace LEISURELY =
        new Pace(
            Duration.ofSeconds(15),
            Duration.ofSeconds(5),
            Duration.ofMillis(700),
            Duration.ofSeconds(5));
  }

  /**
   * A show.
   *
   * @param stop ends it early when it completes; an interrupt completes it with true
   */
  Show(Scene scene, Journal journal, Clock clock, CompletableFuture<Boolean> stop, Pace pace) {
    this.scene = scene;
    this.journal = journal;
    this.clock = clock;
    this.stop = stop;
    this.pace = pace;
  }

  /**
   * Plays one turn, or one after the other until it is stopped.
   *
   * @return whether every crossing brought its item, in the last turn that was not cut short
   */
  boolean play(boolean once) {
    boolean complete = true;
    while (!stop.isDone()) {
      Map<Crossing, Duration> arrived = turn();
      if (stop.isDone()) {
        return complete;
      }
      review(arrived);
      complete = arrived.keySet().containsAll(Crossing.all());
      if (once) {
        return complete;
      }
      String next = "Next turn in %d s. Ctrl-C ends the demo.".formatted(pace.pause.toSeconds());
      journal.print(journal.styled(Screen.Style.DIM, "\n" + next));
      await(stop, pace.pause);
    }
    return complete;
  }

  /**
   * Introduces the parties and subscribes them.
   *
   * @return whether all are subscribed now; if not, the commentary has named the reason, unless the
   *     show was stopped
   */
  boolean settle() {
    if (stop.isDone()) {
      return false;
    }
    scene.introduce();
    CompletableFuture<Void> asked = scene.subscribe();
    Instant deadline = clock.instant().plus(pace.settling);
    while (!stop.isDone()
        && !asked.isCompletedExceptionally()
        && clock.instant().isBefore(deadline)) {
      if (asked.isDone() && scene.settled()) {
        journal.say(
            Actor.GATEWAY,
            "has both confirmed in the same way, and is itself subscribed: all is ready");
        return true;
      }
      await(stop, LOOK_AGAIN);
    }
    if (!stop.isDone()) {
      String why = asked.handle((done, failure) -> reason(failure)).getNow(reason(null));
      journal.print(journal.styled(Screen.Style.RED, "\nThe demo cannot begin: " + why));
    }
    return false;
  }

  private static String reason(@Nullable Throwable failure) {
    if (failure == null) {
      return "a subscriber was not subscribed in time";
    }
    Throwable cause = failure.getCause();
    return String.valueOf((cause == null ? failure : cause).getMessage());
  }

  /** The crossings that brought their item in one turn, with the time from its publication. */
  private Map<Crossing, Duration> turn() {
    turns++;
    Map<Crossing, Duration> arrived = new LinkedHashMap<>();
    for (Source source : Source.values()) {
      await(stop, pace.breath);
      if (!stop.isDone()) {
        arrived.putAll(act(source));
      }
    }
    return arrived;
  }

  private Map<Crossing, Duration> act(Source source) {
    String title = "Headline " + ++items;
    Map<Crossing, CompletableFuture<Instant>> arrivals = new LinkedHashMap<>();
    Crossing.of(source)
        .forEach(crossing -> arrivals.put(crossing, scene.arrivals().expect(crossing, title)));
    Instant published =
        journal.begin("Turn %d: %s %s".formatted(turns, source.file(), source.story()));
    scene.publisher().publish(source, title);

    CompletableFuture<Void> all =
        CompletableFuture.allOf(arrivals.values().toArray(CompletableFuture[]::new));
    await(CompletableFuture.anyOf(all, stop), pace.patience);
    scene.arrivals().forget(title);
    Map<Crossing, Duration> arrived = new LinkedHashMap<>();
    arrivals.forEach(
        (crossing, arrival) -> {
          if (arrival.isDone()) {
            arrived.put(crossing, Duration.between(published, arrival.join()));
          }
        });
    return arrived;
  }

  private void review(Map<Crossing, Duration> arrived) {
    List<Crossing> missing =
        Crossing.all().stream().filter(crossing -> !arrived.containsKey(crossing)).toList();
    journal.begin(
        missing.isEmpty()
            ? "Turn %d: all %d crossings".formatted(turns, arrived.size())
            : "Turn %d: %d of %d crossings"
                .formatted(turns, arrived.size(), arrived.size() + missing.size()));
    for (Crossing crossing : Crossing.all()) {
      Duration took = arrived.get(crossing);
      String mark =
          took == null
              ? journal.styled(
                  Screen.Style.RED, "✗  nothing within " + pace.patience.toSeconds() + " s")
              : journal.styled(Screen.Style.GREEN, "✓") + "  %5d ms".formatted(took.toMillis());
      journal.print("  %-20s  %s".formatted(crossing, mark));
    }
    if (!missing.isEmpty()) {
      String names = missing.stream().map(Crossing::toString).collect(Collectors.joining(", "));
      journal.print(journal.styled(Screen.Style.RED, "\nNot received: " + names));
    }
  }

  /** Waits at most so long; the caller checks the outcome. */
  private void await(CompletableFuture<?> what, Duration atMost) {
    try {
      what.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop.complete(true);
    } catch (TimeoutException | ExecutionException e) {
      // Both are looked for where it matters.
    }
  }
}
