package io.feedbridge.gateway.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A stream from a server that does what gateways and networks do. */
class LiveStreamTest {

  private static final LiveStream.Patience SHORT =
      new LiveStream.Patience(Duration.ofSeconds(45), Duration.ofMillis(10), Duration.ofMillis(40));

  private static final String EVENTS =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/x-ndjson; charset=utf-8\r\n";

  private final Queue<RawHost.Script> scripts = new ConcurrentLinkedQueue<>();
  private final List<String> queries = new CopyOnWriteArrayList<>();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final RawHost gateway = RawHost.running(this::talk);

  @AfterEach
  void stop() {
    gateway.close();
    threads.shutdownNow();
  }

  private void talk(RawHost.Talk talk) throws IOException {
    RawHost.Received asked = talk.read();
    if (asked == null) {
      return;
    }
    assertThat(asked.target()).startsWith("/stream?");
    queries.add(asked.target().substring("/stream?".length()));
    RawHost.Script script = scripts.poll();
    (script == null ? status(400) : script).talk(talk);
  }

  private static RawHost.Script status(int status) {
    return talk ->
        talk.send("HTTP/1.1 " + status + " No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  }

  private void connection(String begin, String text) {
    String id = begin.isEmpty() ? "" : "Last-Event-ID: " + begin + "\r\n";
    scripts.add(talk -> talk.send(EVENTS + id + "\r\n" + text));
  }

  private void hanging(String text) {
    scripts.add(
        talk -> {
          talk.send(EVENTS + "\r\n" + text);
          talk.hang();
        });
  }

  private LiveStream stream(LiveStream.Patience patience) {
    GatewayClient client = new GatewayClient(gateway.url(""), "");
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
    RawHost.Script unwell = status(503);
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
    scripts.add(talk -> talk.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>"));
    assertThat(readAll(SHORT)).contains("is not a stream of events").contains("--gateway");
    connection("", "<html>\n");
    assertThat(readAll(SHORT)).contains("is not JSON").contains("--gateway");
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
