package io.feedbridge.gateway.demo;

import java.io.IOException;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The demo as a whole. {@link #run} and {@link #close} may be called by different threads; closing
 * ends a run early.
 */
public final class Demo implements AutoCloseable {

  private static final List<String> INTRODUCTION =
      List.of(
          "A feed reader that wants news at once has itself told (“pinged”) when a feed changes. There",
          "are two ways of doing that, and they do not understand each other:",
          "  WebSub    The publisher pings a hub; the hub sends the news themselves, signed: a fat ping.",
          "  rssCloud  The publisher pings a cloud; the cloud says only which feed changed: a light ping.",
          "            The subscriber then fetches the feed.",
          "Feedbridge speaks both. Here it is at work, over real sockets, all on this machine:");

  // The clock has the unit in which times are shown, so that sums come out even.
  private final Clock clock = Clock.tickMillis(ZoneOffset.UTC);

  /** Completes with whether the demo was cut short. */
  private final CompletableFuture<Boolean> stop = new CompletableFuture<>();

  private final Journal journal;
  private final Show.Pace pace;
  private @Nullable Scene scene;

  /** A demo that shows itself on that screen, which it has for itself. */
  public Demo(Screen screen) {
    this(screen, Show.Pace.LEISURELY);
  }

  Demo(Screen screen, Show.Pace pace) {
    this.journal = new Journal(screen, clock);
    this.pace = pace;
  }

  /**
   * Opens everything and plays.
   *
   * @param once whether to end after the first full turn, and not only when closed
   * @return 0 if every subscriber got everything or the demo was closed, else 1
   * @throws IOException if there is no port or no disk for it
   * @throws io.feedbridge.gateway.store.StoreException if the gateway's store cannot be opened
   */
  public int run(boolean once) throws IOException {
    INTRODUCTION.forEach(journal::print);
    Scene opened;
    synchronized (this) {
      if (stop.isDone()) {
        return 0;
      }
      opened = open();
    }
    Show show = new Show(opened, journal, clock, stop, pace);
    boolean complete = show.settle() && show.play(once);
    stop.complete(false);
    return complete || stop.join() ? 0 : 1;
  }

  /**
   * The scene, which the demo closes. Blocks {@link #close}, which cannot end a half-open scene.
   */
  synchronized Scene open() throws IOException {
    if (scene == null) {
      scene = new Scene(journal, clock);
    }
    return scene;
  }

  /**
   * Stops all parties and removes the stored data. Takes a few seconds. Repeating it does nothing.
   */
  @Override
  public void close() {
    stop.complete(true);
    synchronized (this) {
      if (scene != null) {
        scene.close();
      }
      if (stop.join()) {
        journal.print("\nStopped. Its temporary folder is gone.");
      }
      journal.close();
    }
  }
}
