package io.feedbridge.gateway.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.RawClient;
import io.feedbridge.gateway.testing.StreamClient;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that owns nothing and the owner, each a server on a socket. */
@Timeout(300)
class ForwarderTest {

  private static final String EVENTS = "text/event-stream";
  private static final RouteOptions ANY = RouteOptions.anyBody(1 << 20);
  private static final ForwardedRequests NODES =
      new ForwardedRequests("key".getBytes(UTF_8), Clock.systemUTC());

  private final EventLoopGroup loops = Transport.best().newGroup(2, "nodes");
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final Forwarder forwarder =
      new Forwarder(request -> request.header("Caller").orElse("one"), threads);
  private final List<Request> asked = new CopyOnWriteArrayList<>();
  private volatile Handler answering = request -> done(Response.text(200, "by the owner"));
  private final Http http = new Http();
  private HttpServer owner;
  private HttpServer node;

  private static CompletableFuture<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  @BeforeEach
  void start() throws IOException {
    owner =
        serve(
            Router.builder()
                .elsewhere(
                    ANY,
                    request -> {
                      asked.add(request);
                      return answering.handle(request);
                    })
                .build());
    node =
        serve(
            Router.builder()
                .route("GET", "/here", request -> done(Response.text(200, "by the node")))
                .elsewhere(ANY, forwarder)
                .build());
    to(address(owner));
  }

  private HttpServer serve(Router router) throws IOException {
    HttpServer server =
        new HttpServer(
            new ServerConfig(
                loops,
                loops,
                Transport.best().serverChannelClass(),
                () -> router,
                ServerLimits.DEFAULT,
                ServerObserver.NONE,
                Clock.systemUTC(),
                address -> false,
                Optional.empty(),
                java.util.Set.of(),
                Optional.of(NODES.forwards())));
    server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return server;
  }

  private void to(String address) {
    forwarder.to(Optional.of(new Forwarder.Owner("owner", address, NODES)));
  }

  private static String address(HttpServer server) {
    return "http://127.0.0.1:" + server.address().getPort();
  }

  private String at(String path) {
    return address(node) + path;
  }

  @AfterEach
  void end() {
    node.close(Duration.ZERO);
    owner.close(Duration.ZERO);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    threads.shutdownNow();
  }

  private Request only() {
    assertThat(asked).hasSize(1);
    return asked.get(0);
  }

  @Test
  void what_the_node_does_not_serve_itself_is_answered_by_the_owner() {
    assertThat(http.get(at("/here")).body()).isEqualTo("by the node");
    assertThat(http.get(at("/there")).body()).isEqualTo("by the owner");
    assertThat(http.form(at("/here"), "a", "1").body()).isEqualTo("by the owner");
  }

  @Test
  void the_owner_gets_method_target_fields_and_body_as_the_client_sent_them() throws IOException {
    try (RawClient client = new RawClient(node.address())) {
      RawClient.Answer answer =
          client
              .sendExactly(
                  String.join(
                      "\r\n",
                      "PUT /a%2Fb/c|d?q=%C3%A9&x=[1] HTTP/1.1",
                      "Host: feeds.example",
                      "Content-Type: text/x",
                      "X-Two: 1",
                      "X-Two: 2",
                      "Connection: close",
                      "X-Forwarded-For: 203.0.113.9",
                      "Content-Length: 4",
                      "",
                      "body"))
              .read();
      assertThat(answer.status()).isEqualTo(200);
    }

    Request request = only();
    assertThat(request.method()).isEqualTo("PUT");
    assertThat(request.path()).isEqualTo("/a/b/c|d");
    assertThat(request.query()).containsEntry("q", List.of("é")).containsEntry("x", List.of("[1]"));
    assertThat(request.header("Host")).contains("feeds.example");
    assertThat(request.header("Content-Type")).contains("text/x");
    assertThat(request.headers().all("X-Two")).containsExactly("1", "2");
    assertThat(request.header("X-Forwarded-For")).contains("203.0.113.9");
    assertThat(request.body()).isEqualTo("body".getBytes(UTF_8));
    assertThat(request.peer().getAddress().isLoopbackAddress()).isTrue();
  }

  @Test
  void the_client_gets_status_fields_and_body_as_the_owner_sent_them() {
    answering =
        request ->
            done(
                Response.text(418, "é")
                    .withHeader("Location", "/x")
                    .plusHeader("Link", "<a>; rel=hub")
                    .plusHeader("Link", "<b>; rel=self"));

    HttpResponse<String> answer = http.get(at("/there"));

    assertThat(answer.statusCode()).isEqualTo(418);
    assertThat(answer.body()).isEqualTo("é");
    assertThat(answer.headers().firstValue("Location")).contains("/x");
    assertThat(answer.headers().allValues("Link")).containsExactly("<a>; rel=hub", "<b>; rel=self");
    assertThat(answer.headers().allValues("Date")).hasSize(1);
    assertThat(answer.headers().allValues("Content-Length")).hasSize(1);
  }

  @Test
  void an_answer_without_a_body_stays_without_one() {
    answering = request -> done(Response.noContent());

    HttpResponse<String> answer = http.form(at("/there"), "a", "1");

    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void a_long_answer_comes_whole() {
    String text = "x".repeat(3 * Passage.COLLECTED + 17);
    answering = request -> done(Response.text(201, text));

    HttpResponse<String> answer = http.get(at("/there"));

    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(answer.body()).isEqualTo(text);
  }

  @Test
  void events_come_when_the_owner_writes_them_and_end_when_the_client_goes() {
    CompletableFuture<Outflow> written = new CompletableFuture<>();
    answering = request -> done(Response.live(EVENTS, written::complete));

    try (StreamClient client = StreamClient.get(at("/stream"))) {
      for (int i = 1; i <= 3; i++) {
        written.join().write(("data: " + i + "\n\n").getBytes(UTF_8)).join();
        int count = i;
        await().until(() -> client.fields("data").size() == count);
      }
      assertThat(client.fields("data")).containsExactly("1", "2", "3");
      assertThat(written.join().ended()).isNotDone();
    }
    await()
        .until(
            () -> {
              // A write finds out that the node's connection has ended.
              var unused = written.join().write(": still there\n\n".getBytes(UTF_8));
              return written.join().ended().isDone();
            });
  }

  @Test
  void the_end_of_the_owners_events_is_the_end_of_the_clients() {
    answering =
        request ->
            done(
                Response.live(
                    EVENTS,
                    to -> {
                      var unused = to.write("data: last\n\n".getBytes(UTF_8));
                      to.end();
                    }));

    assertThat(http.get(at("/stream")).body()).isEqualTo("data: last\n\n");
  }

  @Test
  void a_request_is_passed_on_once() {
    to(address(node));

    HttpResponse<String> answer = http.get(at("/there"));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("does not own the store any more");
    assertThat(answer.headers().firstValue("Retry-After")).contains(Forwarder.RETRY_AFTER);
  }

  @Test
  void a_client_that_signs_as_a_node_is_refused() throws IOException {
    HttpResponse<String> answer =
        http.get(address(owner) + "/there", ForwardedRequests.HEADER, "1 127.0.0.1 - x y");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("is not signed by a node");
    assertThat(asked).isEmpty();
  }

  @Test
  void without_an_owner_a_request_is_answered_503() {
    forwarder.to(Optional.empty());

    HttpResponse<String> answer = http.get(at("/there"));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).contains(Forwarder.RETRY_AFTER);
  }

  @Test
  void an_owner_that_is_not_reached_is_named() {
    to("http://127.0.0.1:" + FreePort.next());

    HttpResponse<String> answer = http.get(at("/there"));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).isEqualTo("the node owner, which owns the store, is not reached");
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
  }

  @Test
  void an_owner_that_ends_amid_a_request_may_have_done_it() {
    answering =
        request -> {
          owner.close(Duration.ZERO);
          return new CompletableFuture<>();
        };

    HttpResponse<String> answer = http.form(at("/there"), "a", "1");

    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body()).contains("gave no answer", "may have taken effect");
  }

  @Test
  void requests_that_wait_for_a_suspended_owner_are_answered_when_another_node_owns_the_store() {
    answering = request -> new CompletableFuture<>();
    CompletableFuture<HttpResponse<String>> waiting =
        CompletableFuture.supplyAsync(() -> http.get(at("/there")));
    await().until(() -> !asked.isEmpty());

    to("http://127.0.0.1:" + FreePort.next());

    assertThat(waiting.join().statusCode()).isEqualTo(502);
    assertThat(waiting.join().body()).contains("another node owns the store now");
  }

  @Test
  void one_caller_has_a_share_of_the_requests_that_are_passed_on() {
    answering =
        request ->
            request.header("Caller").isPresent()
                ? done(Response.text(200, "another caller"))
                : new CompletableFuture<>();
    List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    int share = Forwarder.MAX_OF_ONE;
    for (int i = 0; i < share; i++) {
      waiting.add(http.getAsync(at("/there"), "X", "1"));
    }
    await().until(() -> asked.size() == share);

    HttpResponse<String> refused = http.get(at("/there"));

    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.body()).contains("too many requests");
    assertThat(http.get(at("/there"), "Caller", "two").body()).isEqualTo("another caller");
    forwarder.to(Optional.empty());
    waiting.forEach(CompletableFuture::join);
    to(address(owner));
    answering = request -> done(Response.text(200, "room again"));
    assertThat(http.get(at("/there")).body()).isEqualTo("room again");
  }
}
