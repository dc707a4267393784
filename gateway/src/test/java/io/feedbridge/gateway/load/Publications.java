package io.feedbridge.gateway.load;

import io.feedbridge.gateway.testing.GatewayProcess;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Publishes at a fixed rate, whatever the gateway makes of it: a publisher that waited for the one
 * event before it published the next would not measure what an event suffers from those before it.
 */
final class Publications implements AutoCloseable {

  private final GatewayProcess gateway;
  private final Origin origin;
  private final ScheduledExecutorService schedule = Executors.newScheduledThreadPool(1);

  Publications(GatewayProcess gateway, Origin origin) {
    this.gateway = gateway;
    this.origin = origin;
  }

  /**
   * One that was acknowledged.
   *
   * @param at what {@link System#nanoTime} said when the 2xx was there
   * @param took from the request to the 2xx
   */
  record Publication(String entry, long at, Duration took) {}

  /** Publishes one entry at once. */
  Publication publish(String path, String entry) {
    origin.publish(path, entry);
    long start = System.nanoTime();
    HttpResponse<String> answer =
        gateway.form("/hub", "hub.mode", "publish", "hub.url", origin.url(path));
    long end = System.nanoTime();
    if (answer.statusCode() / 100 != 2) {
      throw new IllegalStateException("refused: " + answer.statusCode() + " " + answer.body());
    }
    return new Publication(entry, end, Duration.ofNanos(end - start));
  }

  /** Publishes so many entries, one each period; returns after the last. */
  List<Publication> publish(String path, String name, int count, Duration period) {
    List<CompletableFuture<Publication>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String entry = "entry-" + name + "-" + i;
      all.add(later(period.multipliedBy(i), () -> publish(path, entry)));
    }
    return all.stream().map(CompletableFuture::join).toList();
  }

  private <T> CompletableFuture<T> later(Duration delay, Supplier<T> action) {
    CompletableFuture<T> result = new CompletableFuture<>();
    var unused =
        schedule.schedule(
            () -> {
              try {
                result.complete(action.get());
              } catch (IllegalStateException | CompletionException e) {
                result.completeExceptionally(e);
              }
            },
            delay.toMillis(),
            TimeUnit.MILLISECONDS);
    return result;
  }

  @Override
  public void close() {
    schedule.shutdownNow();
  }
}
