package io.feedbridge.gateway.web.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code /firehose} as the JDK's own WebSocket client reads it. */
class FirehoseTest {

  private World world;

  @BeforeEach
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  /** A reader that keeps what it is sent. */
  private static final class Reader implements WebSocket.Listener {
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final CompletableFuture<String> pong = new CompletableFuture<>();
    private StringBuilder part = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        messages.add(part.toString());
        part = new StringBuilder();
      }
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
      pong.complete(UTF_8.decode(message).toString());
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      closed.complete(status);
      return CompletableFuture.completedFuture(null);
    }

    private JsonNode json(int number) {
      String[] message = messages.get(number).split("\r", 2);
      try {
        return new ObjectMapper().readTree(message[1]);
      } catch (JsonProcessingException e) {
        throw new AssertionError(messages.get(number), e);
      }
    }

    private List<String> verbs() {
      return messages.stream().map(message -> message.split("\r", 2)[0]).toList();
    }
  }

  private WebSocket open(Reader reader, String query, String... header) {
    WebSocket.Builder builder = HttpClient.newHttpClient().newWebSocketBuilder();
    if (header.length > 0) {
      builder.header(header[0], header[1]);
    }
    String url = world.gateway().url("/firehose" + query).replaceFirst("^http", "ws");
    return builder.buildAsync(URI.create(url), reader).join();
  }

  private String follow(String name) {
    String feed = world.origin().rss(name, "", "old");
    world.subscribe(feed, "of-" + name);
    return feed;
  }

  @Test
  void each_new_entry_is_a_message_in_the_order_of_the_feed() {
    String feed = follow("one");
    Reader reader = new Reader();
    open(reader, "");

    world.publish(world.origin().rss("one", "", "c", "b", "old"));
    World.until(() -> reader.messages.size() == 2);

    assertThat(reader.verbs()).containsExactly("newItem", "newItem");
    assertThat(reader.json(0).at("/item/guid").asText()).isEqualTo("b");
    assertThat(reader.json(1).at("/item/guid").asText()).isEqualTo("c");
    assertThat(reader.json(0).at("/item/feedUrl").asText()).isEqualTo(feed);
    assertThat(reader.json(0).at("/item/title").asText()).isEqualTo("Title of b");
    assertThat(reader.json(0).at("/theFeed/feedUrl").asText()).isEqualTo(feed);
    assertThat(reader.json(0).at("/eventId").asText()).isNotEmpty();
  }

  @Test
  void a_reader_goes_on_behind_an_event_and_chooses_feeds() {
    String one = follow("one");
    follow("two");
    Reader first = new Reader();
    open(first, "?topic=" + one);
    world.publish(world.origin().rss("two", "", "x", "old"));
    world.publish(world.origin().rss("one", "", "b", "old"));
    World.until(() -> first.messages.size() == 1);
    world.publish(world.origin().rss("one", "", "c", "b", "old"));

    Reader second = new Reader();
    open(second, "?topic=" + one + "&after=" + first.json(0).get("eventId").asText());

    World.until(() -> second.messages.size() == 1);
    assertThat(second.json(0).at("/item/guid").asText()).isEqualTo("c");
  }

  @Test
  void a_ping_of_the_client_is_answered_and_so_is_its_close() {
    Reader reader = new Reader();
    WebSocket socket = open(reader, "");

    socket.sendPing(ByteBuffer.wrap("there?".getBytes(UTF_8))).join();
    assertThat(reader.pong.join()).isEqualTo("there?");
    socket.sendText("ignored", true).join();
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").join();

    assertThat(reader.closed.join()).isEqualTo(WebSocket.NORMAL_CLOSURE);
  }

  @Test
  void a_gateway_that_stops_says_that_it_goes_away() {
    Reader reader = new Reader();
    open(reader, "");
    follow("one");
    world.publish(world.origin().rss("one", "", "b", "old"));
    World.until(() -> reader.messages.size() == 1);

    world.gateway().close();

    assertThat(reader.closed.join()).isEqualTo(1001);
  }

  @Test
  void a_client_that_sends_much_is_cut_off() {
    Reader reader = new Reader();
    WebSocket socket = open(reader, "");

    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                socket.sendText("x".repeat(1_000), true).join();
              }
            })
        .isInstanceOf(CompletionException.class);
  }

  private int refusal(String query, String... header) {
    try {
      open(new Reader(), query, header);
    } catch (CompletionException e) {
      if (e.getCause() instanceof WebSocketHandshakeException refused) {
        return refused.getResponse().statusCode();
      }
    }
    throw new AssertionError("the handshake is refused");
  }

  @Test
  void a_page_of_another_site_gets_nothing() {
    assertThat(refusal("", "Origin", "https://evil.example")).isEqualTo(403);
  }

  @Test
  void a_wrong_parameter_and_a_feed_that_is_not_followed_are_refused_before_the_handshake() {
    assertThat(refusal("?after=x")).isEqualTo(400);
    assertThat(refusal("?topic=http://nowhere.example/")).isEqualTo(400);
  }

  @Test
  void a_request_without_the_handshake_is_told_of_it() {
    HttpResponse<String> answer = world.gateway().get("/firehose");

    assertThat(answer.statusCode()).isEqualTo(426);
    assertThat(answer.headers().firstValue("Sec-WebSocket-Version")).contains("13");
  }
}
