package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stream from a server that does what gateways and networks do. */
class LiveStreamTest {

  private static final LiveStream.Patience SHORT =
      new LiveStream.Patience(Duration.ofSeconds(45), Duration.ofMillis(10), Duration.ofMillis(40));

  private interface Script {
    void answer(HttpExchange exchange) throws IOException;
  }

  private final Queue<Script> scripts = new ConcurrentLinkedQueue<>();
  private final List<String> queries = new CopyOnWriteArrayList<>();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/stream",
        exchange -> {
          queries.add(String.valueOf(exchange.getRequestURI().getRawQuery()));
          Script script = scripts.poll();
          try (exchange) {
            if (script == null) {
              exchange.sendResponseHeaders(400, -1);
            } else {
              script.answer(exchange);
            }
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    end.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private static void send(HttpExchange exchange, String text) throws IOException {
    exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
  }

  private void connection(String begin, String text) {
    scripts.add(
        exchange -> {
          exchange.getResponseHeaders().add("Content-Type", "application/x-ndjson; charset=utf-8");
          if (!begin.isEmpty()) {
            exchange.getResponseHeaders().add("Last-Event-ID", begin);
          }
          exchange.sendResponseHeaders(200, 0);
          send(exchange, text);
        });
  }

  private void hanging(String text) {
    scripts.add(
        exchange -> {
          exchange.getResponseHeaders().add("Content-Type", "application/x-ndjson");
          exchange.sendResponseHeaders(200, 0);
          send(exchange, text);
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private LiveStream stream(LiveStream.Patience patience) {
    GatewayClient client =
        new GatewayClient("http://127.0.0.1:" + server.getAddress().getPort(), "");
    return new LiveStream(client, patience, List.of("topic", "http://a/?b&c"), null);
  }

  /** Until the gateway refuses, which ends it. */
  private String readAll(LiveStream.Patience patience) {
    return catchThrowableOfType(GatewayException.class, () -> stream(patience).read(new Teller()))
        .reason();
  }

  private final class Teller implements LiveStream.Reader {
    @Override
    public boolean event(byte[] line, JsonNode document) {
      String text = new String(line, StandardCharsets.UTF_8);
      told.add(text);
      return !text.contains("enough");
    }

    @Override
    public void lost(String why, Duration pause) {
      told.add("lost " + pause.toMillis() + " " + why);
    }

    @Override
    public void resumed() {
      told.add("resumed");
    }
  }

  @Test
  void a_lost_connection_goes_on_behind_the_last_whole_event() {
    connection("", "\n{\"eventId\":\"7\"}\n\n{\"eventId\":\"8\"}\n{\"eventId\":\"9\"");
    connection("", "\n{\"eventId\":\"9\"}\n");
    assertThat(readAll(SHORT)).contains("status 400");
    assertThat(told.stream().filter(line -> line.startsWith("{")))
        .containsExactly("{\"eventId\":\"7\"}", "{\"eventId\":\"8\"}", "{\"eventId\":\"9\"}");
    assertThat(queries)
        .containsExactly(
            "topic=http%3A%2F%2Fa%2F%3Fb%26c",
            "topic=http%3A%2F%2Fa%2F%3Fb%26c&after=8", "topic=http%3A%2F%2Fa%2F%3Fb%26c&after=9");
  }

  @Test
  void one_that_is_lost_before_the_first_event_goes_on_where_it_began() {
    connection("41", "\n");
    connection("41", "\n");
    readAll(SHORT);
    assertThat(queries.subList(1, 3)).allSatisfy(query -> assertThat(query).endsWith("after=41"));
  }

  @Test
  void a_gap_is_not_asked_for_again() {
    connection("", "{\"gap\":{\"after\":\"3\",\"upTo\":\"9\"}}\n");
    readAll(SHORT);
    assertThat(queries.get(1)).endsWith("after=9");
  }

  @Test
  void pauses_grow_while_the_gateway_is_unwell_and_begin_anew() {
    Script unwell = exchange -> exchange.sendResponseHeaders(503, -1);
    connection("", "\n");
    scripts.addAll(List.of(unwell, unwell, unwell));
    connection("", "\n");
    readAll(SHORT);
    assertThat(told.stream().filter(line -> line.startsWith("lost")).map(l -> l.split(" ", -1)[1]))
        .containsExactly("10", "20", "40", "40", "10");
    assertThat(told).contains("resumed");
  }

  @Test
  void a_connection_on_which_nothing_comes_is_dead() {
    hanging("\n");
    readAll(
        new LiveStream.Patience(
            Duration.ofMillis(200), Duration.ofMillis(10), Duration.ofMillis(10)));
    assertThat(told.get(0)).contains("nothing came for 0.2 s");
  }

  @Test
  void what_is_no_stream_of_events_is_told() {
    scripts.add(
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          send(exchange, "<html>");
        });
    assertThat(readAll(SHORT)).contains("is no stream of events").contains("--gateway");
    connection("", "<html>\n");
    assertThat(readAll(SHORT)).contains("is no JSON").contains("--gateway");
  }

  @Test
  void who_has_enough_ends_it() throws GatewayException {
    hanging("{\"eventId\":\"1\"}\n{\"enough\":1}\n{\"eventId\":\"2\"}\n");
    stream(SHORT).read(new Teller());
    assertThat(told).containsExactly("{\"eventId\":\"1\"}", "{\"enough\":1}");
  }

  @Test
  void it_can_be_closed_while_it_is_read() throws Exception {
    hanging("{\"eventId\":\"1\"}\n");
    LiveStream stream = stream(SHORT);
    var reading =
        threads.submit(
            () -> {
              stream.read(new Teller());
              return true;
            });
    World.until(() -> told.size() == 1);
    stream.close();
    assertThat(reading.get()).isTrue();
    assertThat(told).hasSize(1);
  }
}
