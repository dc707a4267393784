package io.feedbridge.gateway.server;

import static java.util.concurrent.CompletableFuture.completedStage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawClient;
import io.feedbridge.gateway.testing.ServerBounds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Responses whose content comes into being while they are sent. */
@ExtendWith(LeakCheck.class)
@Timeout(300)
class LiveResponsesTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(150);
  private static final String GET = "GET /live HTTP/1.1\nHost: a\n\n";

  private final BlockingQueue<Outflow> begun = new LinkedBlockingQueue<>();
  private final Router router =
      Router.builder()
          .route(
              "GET",
              "/live",
              request -> completedStage(Response.live("text/event-stream", begun::add)))
          .route(
              "GET",
              "/broken",
              request ->
                  completedStage(
                      Response.live(
                          "text/plain",
                          outflow -> {
                            throw new IllegalStateException("a fault of the program");
                          })))
          .build();

  private Outflow begun() throws InterruptedException {
    @Nullable Outflow outflow = begun.poll(30, TimeUnit.SECONDS);
    assertThat(outflow).as("a live response").isNotNull();
    return Objects.requireNonNull(outflow);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void each_write_arrives_at_once_and_as_a_chunk() throws Exception {
    try (TestServer server = new TestServer(router);
        RawClient client = server.connect()) {
      RawClient.Answer head = client.send(GET).readHead();
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.header("Content-Type")).isEqualTo("text/event-stream");
      assertThat(head.header("Transfer-Encoding")).isEqualTo("chunked");
      assertThat(head.headers()).doesNotContainKey("content-length");
      assertThat(head.closes()).isTrue();
      Outflow outflow = begun();
      outflow.write(bytes("one")).join();
      assertThat(client.readExactly(8)).isEqualTo("3\r\none\r\n");
      outflow.write(bytes("three")).join();
      outflow.end();
      assertThat(client.readExactly(15)).isEqualTo("5\r\nthree\r\n0\r\n\r\n");
      assertThat(client.atEnd()).isTrue();
      outflow.ended().join();
    }
  }

  @Test
  void a_client_of_HTTP_1_0_gets_no_chunks_and_the_end_of_the_connection() throws Exception {
    try (TestServer server = new TestServer(router);
        RawClient client = server.connect()) {
      RawClient.Answer head = client.send("GET /live HTTP/1.0\nHost: a\n\n").readHead();
      assertThat(head.headers()).doesNotContainKeys("transfer-encoding", "content-length");
      Outflow outflow = begun();
      outflow.write(bytes("one")).join();
      outflow.end();
      assertThat(client.readExactly(3)).isEqualTo("one");
      assertThat(client.atEnd()).isTrue();
    }
  }

  @Test
  void HEAD_is_answered_with_the_head_alone() throws Exception {
    try (TestServer server = new TestServer(router);
        RawClient client = server.connect()) {
      RawClient.Answer head = client.send("HEAD /live HTTP/1.1\nHost: a\n\n").readHead();
      assertThat(head.header("Content-Type")).isEqualTo("text/event-stream");
      assertThat(client.atEnd()).isTrue();
      assertThat(begun).isEmpty();
    }
  }

  @Test
  void a_client_that_goes_away_ends_it() throws Exception {
    try (TestServer server = new TestServer(router)) {
      RawClient client = server.connect();
      client.send(GET).readHead();
      Outflow outflow = begun();
      assertThat(outflow.ended()).isNotDone();
      client.close();
      await().until(outflow.ended()::isDone);
      CompletableFuture<Void> late = outflow.write(bytes("late"));
      assertThatThrownBy(late::join).isInstanceOf(CompletionException.class);
      await().untilAsserted(() -> assertThat(server.open).hasValue(0));
    }
  }

  @Test
  void a_client_that_takes_nothing_is_cut_off_at_a_bound_of_bytes() throws Exception {
    ServerLimits limits = ServerBounds.sending(8 << 20, LONG);
    try (TestServer server = new TestServer(router, limits);
        RawClient client = server.connect()) {
      client.send(GET).readHead();
      Outflow outflow = begun();
      byte[] piece = new byte[1 << 20];
      // More than the bound and than what the system keeps by itself.
      for (int i = 0; i < 64 && !outflow.ended().isDone(); i++) {
        var unused = outflow.write(piece);
      }
      await().until(outflow.ended()::isDone);
      await().untilAsserted(() -> assertThat(server.open).hasValue(0));
    }
  }

  @Test
  void a_client_that_takes_nothing_is_cut_off_at_a_bound_of_time() throws Exception {
    ServerLimits limits = ServerBounds.sending(64 << 20, SHORT);
    try (TestServer server = new TestServer(router, limits);
        RawClient client = server.connect()) {
      client.send(GET).readHead();
      Outflow outflow = begun();
      CompletableFuture<Void> written = outflow.write(new byte[32 << 20]);
      assertThatThrownBy(written::join).isInstanceOf(CompletionException.class);
      await().until(outflow.ended()::isDone);
    }
  }

  @Test
  void a_client_that_only_listens_is_not_taken_for_an_idle_one() throws Exception {
    ServerLimits limits = ServerBounds.times(SHORT, SHORT, SHORT, LONG);
    try (TestServer server = new TestServer(router, limits);
        RawClient idle = server.connect();
        RawClient client = server.connect()) {
      client.send(GET).readHead();
      Outflow outflow = begun();
      assertThat(idle.atEnd()).as("an idle connection was closed").isTrue();
      outflow.write(bytes("one")).join();
      assertThat(client.readExactly(8)).isEqualTo("3\r\none\r\n");
    }
  }

  @Test
  void what_a_client_sends_behind_its_request_is_not_kept() throws Exception {
    try (TestServer server = new TestServer(router);
        RawClient client = server.connect()) {
      client.send(GET).readHead();
      Outflow outflow = begun();
      client.send(GET);
      outflow.write(bytes("one")).join();
      assertThat(client.readExactly(8)).isEqualTo("3\r\none\r\n");
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1_000; i++) {
                  client.sendExactly("x".repeat(10_000));
                }
              })
          .isInstanceOf(IOException.class);
      await().until(outflow.ended()::isDone);
      assertThat(begun).isEmpty();
    }
  }

  @Test
  void a_stop_of_the_server_ends_it_well() throws Exception {
    try (TestServer server = new TestServer(router);
        RawClient client = server.connect()) {
      client.send(GET).readHead();
      Outflow outflow = begun();
      server.server.stopIntake();
      assertThat(client.readExactly(5)).isEqualTo("0\r\n\r\n");
      assertThat(client.atEnd()).isTrue();
      outflow.ended().join();
    }
  }

  @Test
  void a_fault_at_its_begin_closes_the_connection() throws Exception {
    try (TestServer server = new TestServer(router);
        RawClient client = server.connect()) {
      client.send("GET /broken HTTP/1.1\nHost: a\n\n").readHead();
      assertThat(client.atEnd()).isTrue();
    }
  }
}
