package io.feedbridge.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BlockingTest {
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final Request REQUEST =
      new Request(
          "GET",
          "/",
          "",
          Map.of(),
          Headers.none(),
          new byte[0],
          InetSocketAddress.createUnresolved("peer", 1),
          Map.of());

  private final Blocking blocking = new Blocking(1, 1, "test-blocking");
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger runs = new AtomicInteger();

  private final Handler waits =
      blocking.offload(
          request -> {
            runs.incrementAndGet();
            try {
              release.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return Response.noContent();
          });

  @AfterEach
  void stop() {
    release.countDown();
    blocking.close(GRACE);
  }

  private CompletableFuture<Response> call(Handler handler) {
    return handler.handle(REQUEST).toCompletableFuture();
  }

  @Test
  void work_runs_on_a_thread_of_its_own() {
    Handler handler =
        blocking.offload(request -> Response.text(200, Thread.currentThread().getName()));
    assertThat(call(handler))
        .succeedsWithin(GRACE)
        .returns("test-blocking-1", Response::bodyAsText);
  }

  @Test
  void when_the_queue_is_full_the_answer_is_503_with_retry_after() {
    CompletableFuture<Response> running = call(waits);
    await().untilAsserted(() -> assertThat(runs).hasValue(1));
    CompletableFuture<Response> queued = call(waits);
    assertThat(blocking.waiting()).isEqualTo(1);
    CompletableFuture<Response> refused = call(waits);
    assertThat(refused).isCompletedWithValueMatching(response -> response.status() == 503);
    assertThat(refused.join().headers().first("Retry-After")).contains("1");
    release.countDown();
    assertThat(running).succeedsWithin(GRACE);
    assertThat(queued).succeedsWithin(GRACE).returns(204, Response::status);
  }

  @Test
  void a_request_that_was_given_up_while_it_waited_is_not_worked_on() {
    CompletableFuture<Response> first = call(waits);
    await().untilAsserted(() -> assertThat(runs).hasValue(1));
    call(waits).cancel(false);
    release.countDown();
    assertThat(first).succeedsWithin(GRACE);
    blocking.close(GRACE);
    assertThat(runs).hasValue(1);
  }

  @Test
  void what_the_work_throws_fails_the_request() {
    Handler handler =
        blocking.offload(
            request -> {
              throw new BadRequestException("why");
            });
    assertThat(call(handler))
        .failsWithin(GRACE)
        .withThrowableThat()
        .withCauseInstanceOf(BadRequestException.class);
  }

  @Test
  void after_close_the_answer_is_503() {
    blocking.close(GRACE);
    assertThat(call(waits)).isCompletedWithValueMatching(response -> response.status() == 503);
  }
}
