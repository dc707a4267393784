package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.testing.Http;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A caller that heeds {@code Retry-After} and gives up after one repetition. A request fails unless
 * it meets one of these:
 *
 * <ul>
 *   <li>an answer 2xx;
 *   <li>a 502 or 503 with {@code Retry-After}, and, after this time, an answer 2xx;
 *   <li>a connection that is refused or closed before any byte of an answer, the repetition too.
 *       The request is then sent again at once, until it is answered, as above, within {@link
 *       #UNANSWERED} of the first such end: how long a node worked on it before does not count.
 * </ul>
 */
final class PatientForms implements Forms, AutoCloseable {

  /** The longest time in which no node may answer. */
  private static final Duration UNANSWERED = Duration.ofSeconds(2);

  private static final Duration AT_ONCE = Duration.ofMillis(20);
  private static final int BAD_GATEWAY = 502;
  private static final int UNAVAILABLE = 503;

  private final Http http = new Http();
  private final ScheduledExecutorService timer;
  private final List<String> failed = new CopyOnWriteArrayList<>();
  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();

  PatientForms(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  @Override
  public CompletableFuture<HttpResponse<String>> send(String url, String... form) {
    sent.incrementAndGet();
    CompletableFuture<HttpResponse<String>> end = new CompletableFuture<>();
    new Request(url, form, end).send();
    return end;
  }

  /** The requests that failed, each with the reason. */
  List<String> failed() {
    return failed;
  }

  /** Whether a request waits for the time of its repetition. */
  boolean waits() {
    return waiting.get() > 0;
  }

  @Override
  public String toString() {
    return "%d requests, %d closed connections, %d answered 503, %d failed"
        .formatted(sent.get(), closed.get(), refused.get(), failed.size());
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private final class Request {
    private final String url;
    private final String[] form;
    private final CompletableFuture<HttpResponse<String>> end;

    /** When a connection was closed first, of all since the last answer; 0 for none. */
    private long closedAt;

    /** Whether the time of a Retry-After is over. */
    private boolean repeated;

    Request(String url, String[] form, CompletableFuture<HttpResponse<String>> end) {
      this.url = url;
      this.form = form;
      this.end = end;
    }

    void send() {
      var unused = http.formAsync(url, form).whenComplete(this::answered);
    }

    private void answered(@Nullable HttpResponse<String> answer, @Nullable Throwable failure) {
      if (answer == null) {
        closed.incrementAndGet();
        closedAt = closedAt == 0 ? System.nanoTime() : closedAt;
        boolean inside = String.valueOf(failure).contains("content-length");
        if (inside || System.nanoTime() - closedAt > UNANSWERED.toNanos()) {
          fail(inside ? "an answer that was cut" : "no answer", failure);
        } else {
          later(this::send, AT_ONCE);
        }
      } else if (repeated
          || (answer.statusCode() != UNAVAILABLE && answer.statusCode() != BAD_GATEWAY)) {
        last(answer);
      } else {
        refused.incrementAndGet();
        answer
            .headers()
            .firstValueAsLong("Retry-After")
            .ifPresentOrElse(this::repeat, () -> fail("a 502 or 503 without Retry-After", null));
      }
    }

    private void repeat(long seconds) {
      waiting.incrementAndGet();
      later(
          () -> {
            repeated = true;
            closedAt = 0;
            send();
          },
          Duration.ofSeconds(seconds));
    }

    private void last(HttpResponse<String> answer) {
      if (answer.statusCode() / 100 == 2) {
        waitsNoMore();
        end.complete(answer);
      } else {
        fail(answer + " " + answer.body(), null);
      }
    }

    private void waitsNoMore() {
      if (repeated) {
        waiting.decrementAndGet();
      }
    }

    private void fail(String reason, @Nullable Throwable failure) {
      waitsNoMore();
      if (!timer.isShutdown()) {
        failed.add("%s: %s, %s".formatted(url, reason, failure));
        end.completeExceptionally(new IllegalStateException(reason, failure));
      }
    }

    private void later(Runnable step, Duration after) {
      if (!timer.isShutdown()) {
        var unused = timer.schedule(step, after.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }
}
