package io.feedbridge.gateway.server;

import static java.util.concurrent.CompletableFuture.completedStage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawClient;
import io.feedbridge.gateway.testing.ServerBounds;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(LeakCheck.class)
@Timeout(300)
class HttpServerTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(150);
  private static final int MAX_BODY = 10;

  /** Requests to /wait, to be answered by the test. */
  private final BlockingQueue<CompletableFuture<Response>> waiting = new LinkedBlockingQueue<>();

  private final Router router =
      Router.builder()
          .route("GET", "/hello", request -> completedStage(Response.text(200, "hello")))
          .route(
              "GET",
              "/echo/{word}",
              request ->
                  completedStage(
                      Response.text(
                          200,
                          request.pathVariables().get("word")
                              + " "
                              + request.query()
                              + " "
                              + request.header("host").orElse("none"))))
          .route(
              "POST",
              "/form",
              RouteOptions.body(MAX_BODY, "application/x-www-form-urlencoded"),
              request -> completedStage(Response.text(200, request.form().toString())))
          .route(
              "GET",
              "/wait",
              request -> {
                CompletableFuture<Response> answer = new CompletableFuture<>();
                waiting.add(answer);
                return answer;
              })
          .route(
              "GET",
              "/throws",
              request -> {
                throw new IllegalStateException("a secret of the program");
              })
          .build();

  private CompletableFuture<Response> handled() throws InterruptedException {
    @Nullable CompletableFuture<Response> answer = waiting.poll(10, TimeUnit.SECONDS);
    assertThat(answer).as("a request to /wait").isNotNull();
    return Objects.requireNonNull(answer);
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\nHost: a\n\n";
  }

  @Nested
  class Persistence {
    @Test
    void a_connection_serves_one_request_after_another() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        assertThat(client.send(get("/hello")).read().body()).isEqualTo("hello");
        RawClient.Answer second = client.send(get("/echo/b%20c?x=1&x=2")).read();
        assertThat(second.body()).isEqualTo("b c {x=[1, 2]} a");
        assertThat(second.closes()).isFalse();
        assertThat(second.header("Date")).isEqualTo("Tue, 03 Feb 2026 04:05:06 GMT");
        assertThat(second.header("Content-Length")).isEqualTo("16");
      }
    }

    @Test
    void pipelined_requests_are_handled_one_at_a_time_and_answered_in_order() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send(get("/wait") + get("/hello") + get("/wait") + get("/echo/last"));
        handled().complete(Response.text(200, "first"));
        assertThat(client.read().body()).isEqualTo("first");
        assertThat(client.read().body()).isEqualTo("hello");
        CompletableFuture<Response> third = handled();
        assertThat(server.finished).containsExactly("GET /wait 200", "GET /hello 200");
        third.complete(Response.text(200, "third"));
        assertThat(client.read().body()).isEqualTo("third");
        assertThat(client.read().body()).startsWith("last");
      }
    }

    @Test
    void thousands_of_pipelined_requests_are_answered() throws Exception {
      int many = 5_000;
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        CompletableFuture<Void> sent =
            CompletableFuture.runAsync(
                () -> {
                  try {
                    client.send(get("/hello").repeat(many));
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        for (int i = 0; i < many; i++) {
          assertThat(client.read().status()).isEqualTo(200);
        }
        sent.join();
      }
    }

    @Test
    void connection_close_is_honoured() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("GET /hello HTTP/1.1\nHost: a\nConnection: close\n\n");
        assertThat(client.read().closes()).isTrue();
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void a_client_of_http_1_0_is_served_and_the_connection_closed() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        assertThat(client.send("GET /hello HTTP/1.0\n\n").read().body()).isEqualTo("hello");
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void a_client_of_http_1_0_may_ask_to_keep_the_connection() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        String request = "GET /hello HTTP/1.0\nConnection: keep-alive\n\n";
        assertThat(client.send(request).read().header("Connection")).isEqualTo("keep-alive");
        assertThat(client.send(request).read().status()).isEqualTo(200);
      }
    }

    @Test
    void a_head_is_answered_from_get_without_a_body() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("HEAD /hello HTTP/1.1\nHost: a\n\n" + get("/hello"));
        assertThat(client.readHead().header("Content-Length")).isEqualTo("5");
        assertThat(client.read().body()).isEqualTo("hello");
      }
    }
  }

  @Nested
  class Refusals {
    @ParameterizedTest
    @CsvSource({
      "GET /nothing, 404, nothing at this path",
      "PUT /hello, 405, not allowed",
      "TRACE /hello, 501, does not implement",
      "CONNECT a:80, 501, does not implement",
      "GET /a/../b, 400, '..'",
      "GET /a%00b, 400, control characters",
      "GET /%zz, 400, percent-encoding",
      "GET /hello?a=%ff, 400, UTF-8",
    })
    void are_answered_in_text_and_keep_the_connection(String line, int status, String reason)
        throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        RawClient.Answer answer = client.send(line + " HTTP/1.1\nHost: a\n\n").read();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body()).contains(reason);
        assertThat(answer.header("Content-Type")).isEqualTo("text/plain; charset=utf-8");
        assertThat(client.send(get("/hello")).read().body()).isEqualTo("hello");
      }
    }

    @Test
    void a_405_lists_the_methods_that_are_allowed() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("DELETE /hello HTTP/1.1\nHost: a\n\n");
        assertThat(client.read().header("Allow")).isEqualTo("GET, HEAD, OPTIONS");
        client.send("OPTIONS /form HTTP/1.1\nHost: a\n\n");
        RawClient.Answer options = client.read();
        assertThat(options.status()).isEqualTo(204);
        assertThat(options.header("Allow")).isEqualTo("OPTIONS, POST");
        assertThat(options.headers()).doesNotContainKey("content-length");
      }
    }

    @Test
    void a_body_too_long_is_answered_413_before_it_is_sent() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: 1000000\n\n");
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.closes()).isTrue();
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void a_client_that_sends_its_refused_body_first_still_gets_the_answer() throws Exception {
      int length = 300_000;
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: " + length + "\n\n");
        client.sendExactly("x".repeat(length));
        assertThat(client.read().status()).isEqualTo(413);
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void a_small_refused_body_is_read_over_and_the_connection_kept() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("POST /nothing HTTP/1.1\nHost: a\nContent-Length: 12\n\n");
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.closes()).isFalse();
        client.sendExactly("GET /no HTTP" + get("/hello").replace("\n", "\r\n"));
        assertThat(client.read().body()).isEqualTo("hello");
      }
    }

    @Test
    void a_chunked_body_is_answered_413_where_it_passes_the_bound() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n");
        client.send("6\na=1&b=\n6\n234567\n");
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.closes()).isTrue();
      }
    }

    @Test
    void another_content_type_is_answered_415() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send(
            "POST /form HTTP/1.1\nHost: a\nContent-Type: text/xml\nContent-Length: 3\n\na=1");
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(415);
        assertThat(answer.body()).contains("application/x-www-form-urlencoded");
        client.send(
            "POST /form HTTP/1.1\nHost: a\nContent-Length: 3\n"
                + "Content-Type: Application/X-WWW-form-urlencoded; charset=utf-8\n\na=1");
        assertThat(client.read().body()).isEqualTo("{a=[1]}");
      }
    }

    @Test
    void a_form_that_cannot_be_decoded_is_answered_400_with_the_reason() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: 4\n\na=%4");
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("percent-encoding");
      }
    }
  }

  @Nested
  class Framing {
    @ParameterizedTest
    @CsvSource({
      "'GET / HTTP/1.1\n\n', 400",
      "'GET / HTTP/1.1\nHost: a\nHost: a\n\n', 400",
      "'GET / HTTP/1.1\nHost: a b\n\n', 400",
      "'POST /form HTTP/1.1\nHost: a\nContent-Length: 3\nTransfer-Encoding: chunked\n\n0\n\n', 400",
      "'POST /form HTTP/1.1\nHost: a\nContent-Length: 3\nContent-Length: 4\n\nabc', 400",
      "'POST /form HTTP/1.1\nHost: a\nContent-Length: -3\n\nabc', 400",
      "'POST /form HTTP/1.0\nHost: a\nTransfer-Encoding: chunked\n\n0\n\n', 400",
      "'POST /form HTTP/1.1\nHost: a\nTransfer-Encoding: gzip, chunked\n\n0\n\n', 501",
      "'POST /form HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\nzz\nabc\n0\n\n', 400",
      "'POST /form HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n1\nabc\n0\n\n', 400",
      "'GET / HTTP/2.0\nHost: a\n\n', 505",
      "'nonsense\n\n', 400",
    })
    void what_is_ambiguous_is_refused_and_the_connection_closed(String request, int status)
        throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        RawClient.Answer answer = client.send(request + get("/hello")).read();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.closes()).isTrue();
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void a_request_line_of_more_than_8_KiB_is_answered_414() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send(get("/" + "a".repeat(ServerLimits.DEFAULT.requestLine())));
        assertThat(client.read().status()).isEqualTo(414);
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void headers_of_more_than_16_KiB_are_answered_431() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        String field = "X: " + "a".repeat(1_000) + "\n";
        client.send("GET /hello HTTP/1.1\nHost: a\n" + field.repeat(17) + "\n");
        assertThat(client.read().status()).isEqualTo(431);
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void the_host_of_an_absolute_target_wins() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("GET http://b:8080/echo/x HTTP/1.1\nHost: a\n\n");
        assertThat(client.read().body()).isEqualTo("x {} b:8080");
      }
    }
  }

  @Nested
  class Expectations {
    @Test
    void a_body_that_is_wanted_is_asked_for() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: 3\nExpect: 100-continue\n\n");
        assertThat(client.readHead().status()).isEqualTo(100);
        assertThat(client.send("a=1").read().body()).isEqualTo("{a=[1]}");
      }
    }

    @Test
    void a_body_that_is_not_wanted_is_not_asked_for() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: 11\nExpect: 100-continue\n\n");
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.closes()).isTrue();
      }
    }

    @Test
    void another_expectation_is_answered_417() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send("GET /hello HTTP/1.1\nHost: a\nExpect: wonders\n\n");
        assertThat(client.read().status()).isEqualTo(417);
      }
    }
  }

  @Nested
  class Deadlines {
    @Test
    void a_connection_without_a_request_is_closed() throws Exception {
      ServerLimits limits = ServerBounds.times(SHORT, LONG, LONG, LONG);
      try (TestServer server = new TestServer(router, limits);
          RawClient client = server.connect()) {
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void a_head_that_takes_too_long_is_answered_408() throws Exception {
      ServerLimits limits = ServerBounds.times(LONG, SHORT, LONG, LONG);
      try (TestServer server = new TestServer(router, limits);
          RawClient client = server.connect()) {
        client.send("GET /hello HTTP/1.1\nHost: a\nX-Slow:");
        RawClient.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(408);
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void a_second_head_begun_behind_the_first_request_is_bounded_too() throws Exception {
      ServerLimits limits = ServerBounds.times(LONG, SHORT, LONG, LONG);
      try (TestServer server = new TestServer(router, limits);
          RawClient client = server.connect()) {
        client.send(get("/wait") + "GET /hello HTTP/1.1\nHost: a\nX-Slow:");
        handled().complete(Response.text(200, "first"));
        assertThat(client.read().status()).isEqualTo(200);
        assertThat(client.read().status()).isEqualTo(408);
      }
    }

    @Test
    void a_body_that_takes_too_long_is_answered_408() throws Exception {
      ServerLimits limits = ServerBounds.times(LONG, LONG, SHORT, LONG);
      try (TestServer server = new TestServer(router, limits);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: 3\n\na");
        assertThat(client.read().status()).isEqualTo(408);
        assertThat(client.atEnd()).isTrue();
      }
    }

    @Test
    void a_handler_that_takes_too_long_is_answered_503_and_given_up() throws Exception {
      ServerLimits limits = ServerBounds.times(LONG, LONG, LONG, SHORT);
      try (TestServer server = new TestServer(router, limits);
          RawClient client = server.connect()) {
        RawClient.Answer answer = client.send(get("/wait")).read();
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("Retry-After")).isEqualTo("60");
        CompletableFuture<Response> abandoned = handled();
        await().untilAsserted(() -> assertThat(abandoned).isCancelled());
        assertThat(client.send(get("/hello")).read().body()).isEqualTo("hello");
      }
    }
  }

  @Nested
  class Failures {
    @Test
    void a_handler_that_throws_is_answered_500_and_harms_no_other_request() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        RawClient.Answer answer = client.send(get("/throws")).read();
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.body()).isEqualTo("internal error");
        assertThat(client.send(get("/hello")).read().body()).isEqualTo("hello");
      }
    }

    @Test
    void a_client_that_goes_away_leaves_nothing_behind() throws Exception {
      try (TestServer server = new TestServer(router)) {
        RawClient client = server.connect();
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: 3\n\na");
        await().untilAsserted(() -> assertThat(server.open).hasValue(1));
        client.close();
        await().untilAsserted(() -> assertThat(server.open).hasValue(0));
      }
    }

    @Test
    void a_client_that_never_reads_its_response_does_not_hold_the_connection() throws Exception {
      Router big =
          Router.builder()
              .route(
                  "GET",
                  "/big",
                  request -> completedStage(Response.of(200, "a/b", new byte[20_000_000])))
              .build();
      ServerLimits limits = ServerBounds.times(SHORT, LONG, LONG, LONG);
      try (TestServer server = new TestServer(big, limits);
          RawClient client = server.connect()) {
        client.send(get("/big"));
        await().untilAsserted(() -> assertThat(server.finished).hasSize(1));
        await().untilAsserted(() -> assertThat(server.open).hasValue(0));
      }
    }

    @Test
    void clients_that_do_not_read_hold_a_piece_each_of_a_long_response_and_not_the_whole()
        throws Exception {
      byte[] shared = new byte[20_000_000];
      Router big =
          Router.builder()
              .route("GET", "/big", request -> completedStage(Response.of(200, "a/b", shared)))
              .build();
      List<RawClient> clients = new ArrayList<>();
      try (TestServer server = new TestServer(big)) {
        for (int i = 0; i < 20; i++) {
          clients.add(server.connect());
          clients.get(i).send(get("/big"));
        }
        await().untilAsserted(() -> assertThat(server.finished).hasSize(20));

        assertThat(server.server.responseBytes()).isLessThan(shared.length + 20 * 150_000);
        assertThat(server.allocator.metric().usedDirectMemory()).isLessThan(20 * 300_000);
        assertThat(server.open).hasValue(20);
        for (RawClient client : clients) {
          client.close();
        }
        await().untilAsserted(() -> assertThat(server.server.responseBytes()).isZero());
      }
    }

    @Test
    void a_client_that_reads_is_served_while_others_leave_more_unread_than_there_is_room_for()
        throws Exception {
      Router big =
          Router.builder()
              .route(
                  "GET",
                  "/big",
                  request -> completedStage(Response.of(200, "a/b", new byte[10_000_000])))
              .build();
      ServerLimits limits = ServerBounds.responses(35_000_000);
      List<RawClient> clients = new ArrayList<>();
      try (TestServer server = new TestServer(big, limits)) {
        for (int i = 0; i < 20; i++) {
          clients.add(server.connect());
          clients.get(i).send(get("/big"));
        }
        await().untilAsserted(() -> assertThat(server.finished).hasSize(20));
        try (RawClient reader = server.connect()) {
          assertThat(reader.send(get("/big")).read().body()).hasSize(10_000_000);
        }
        assertThat(server.server.responseBytes()).isLessThan(35_000_000);
        assertThat(server.open).hasValueLessThan(5);
        for (RawClient client : clients) {
          client.close();
        }
      }
    }

    @Test
    void a_client_that_does_not_close_after_the_last_response_is_closed() throws Exception {
      ServerLimits limits = ServerBounds.linger(SHORT, 1_000_000);
      try (TestServer server = new TestServer(router, limits);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: 1000000\n\n");
        assertThat(client.read().status()).isEqualTo(413);
        await().untilAsserted(() -> assertThat(server.open).hasValue(0));
      }
    }

    @Test
    void a_client_that_sends_its_whole_body_before_it_looks_sees_that_it_was_too_long()
        throws Exception {
      HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      try (TestServer server = new TestServer(router)) {
        HttpRequest tooLong =
            HttpRequest.newBuilder(server.uri("/form"))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[16 * 1_024 * 1_024]))
                .build();
        for (int attempt = 0; attempt < 10; attempt++) {
          assertThat(client.send(tooLong, HttpResponse.BodyHandlers.ofString()).statusCode())
              .isEqualTo(413);
        }
      }
    }

    @Test
    void a_client_that_goes_on_sending_after_the_last_response_is_closed() throws Exception {
      ServerLimits limits = ServerBounds.linger(LONG, 1_000);
      try (TestServer server = new TestServer(router, limits);
          RawClient client = server.connect()) {
        client.send("POST /form HTTP/1.1\nHost: a\nContent-Length: 1000000\n\n");
        assertThat(client.read().status()).isEqualTo(413);
        client.sendExactly("x".repeat(1_001));
        await().untilAsserted(() -> assertThat(server.open).hasValue(0));
      }
    }

    @Test
    void connections_above_the_bound_are_closed_while_the_others_are_served() throws Exception {
      try (TestServer server = new TestServer(router, ServerLimits.DEFAULT.withConnections(1, 9));
          RawClient first = server.connect()) {
        first.send(get("/wait"));
        CompletableFuture<Response> answer = handled();
        try (RawClient second = server.connect()) {
          assertThat(second.atEnd()).isTrue();
        }
        answer.complete(Response.text(200, "served"));
        assertThat(first.read().body()).isEqualTo("served");
      }
    }

    @Test
    void who_says_nothing_gives_way_to_a_newcomer() throws Exception {
      try (TestServer server = new TestServer(router, ServerLimits.DEFAULT.withConnections(1, 9));
          RawClient first = server.connect()) {
        assertThat(first.send(get("/hello")).read().status()).isEqualTo(200);
        first.send("GET /hello HTTP/1.1\nHost:");
        try (RawClient second = server.connect()) {
          assertThat(second.send(get("/hello")).read().status()).isEqualTo(200);
        }
        assertThat(first.atEnd()).isTrue();
      }
    }

    @Test
    void a_large_body_that_takes_long_gives_way_to_others() throws Exception {
      ServerLimits limits = ServerBounds.requests(8_000);
      Router large =
          Router.builder()
              .route(
                  "POST",
                  "/large",
                  RouteOptions.body(6_000),
                  request -> completedStage(Response.text(200, "taken")))
              .build();
      String head = "POST /large HTTP/1.1\nHost: a\nContent-Length: 5000\n\n";
      try (TestServer server = new TestServer(large, limits);
          RawClient slow = server.connect();
          RawClient quick = server.connect()) {
        slow.send(head).sendExactly("x".repeat(4_999));
        await().untilAsserted(() -> assertThat(server.server.requestBytes()).isEqualTo(4_999));
        assertThat(quick.send(head).sendExactly("x".repeat(5_000)).read().body())
            .isEqualTo("taken");
        assertThat(slow.atEnd()).isTrue();
        await().untilAsserted(() -> assertThat(server.server.requestBytes()).isZero());
      }
    }

    @Test
    void metrics_have_patterns_and_known_methods_for_labels() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send(get("/echo/x") + get("/nothing/secret") + "SPELL / HTTP/1.1\nHost: a\n\n");
        client.read();
        client.read();
        client.read();
        assertThat(server.finished)
            .containsExactly("GET /echo/{word} 200", "GET unmatched 404", "other unmatched 501");
      }
    }
  }

  @Nested
  class Life {
    /** NIO keeps the socket open until the next selection, so the first try may come too early. */
    private static void awaitRefusal(InetSocketAddress address) {
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> connectAndLeave(address))
                      .isInstanceOf(ConnectException.class));
    }

    private static void connectAndLeave(InetSocketAddress address) throws IOException {
      try (RawClient client = new RawClient(address)) {
        assertThat(client.socket().isConnected()).isTrue();
      }
    }

    @Test
    void after_stopIntake_requests_under_way_are_answered_and_nothing_more() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient busy = server.connect();
          RawClient idle = server.connect()) {
        assertThat(idle.send(get("/hello")).read().closes()).isFalse();
        busy.send(get("/wait") + get("/hello"));
        CompletableFuture<Response> answer = handled();
        InetSocketAddress address = server.server.address();

        server.server.stopIntake();

        awaitRefusal(address);
        assertThat(idle.atEnd()).isTrue();
        answer.complete(Response.text(200, "last"));
        RawClient.Answer last = busy.read();
        assertThat(last.body()).isEqualTo("last");
        assertThat(last.closes()).isTrue();
        assertThat(busy.atEnd()).isTrue();
        server.server.stopIntake();
      }
    }

    @Test
    void close_waits_for_requests_under_way() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send(get("/wait"));
        CompletableFuture<Response> answer = handled();
        InetSocketAddress address = server.server.address();
        CompletableFuture<Void> closed =
            CompletableFuture.runAsync(() -> server.server.close(TestServer.GRACE));
        awaitRefusal(address);
        assertThat(closed).isNotDone();
        answer.complete(Response.text(200, "last"));
        assertThat(client.read().body()).isEqualTo("last");
        client.socket().close();
        assertThat(closed).succeedsWithin(TestServer.GRACE);
      }
    }

    @Test
    void close_does_not_wait_longer_than_its_bound() throws Exception {
      try (TestServer server = new TestServer(router);
          RawClient client = server.connect()) {
        client.send(get("/wait"));
        CompletableFuture<Response> never = handled();
        server.server.close(SHORT);
        assertThat(client.atEnd()).isTrue();
        assertThat(never).isNotDone();
        await().untilAsserted(() -> assertThat(server.open).hasValue(0));
      }
    }

    @Test
    void an_address_in_use_is_named_together_with_the_way_out() throws Exception {
      try (TestServer first = new TestServer(router)) {
        HttpServer second =
            new HttpServer(
                new ServerConfig(
                    first.group,
                    first.group,
                    NioServerSocketChannel.class,
                    router,
                    ServerLimits.DEFAULT,
                    ServerObserver.NONE,
                    Clock.systemUTC()));
        int port = first.server.address().getPort();
        assertThatThrownBy(() -> second.start(first.server.address()))
            .isInstanceOf(BindException.class)
            .hasMessage("port " + port + " on 127.0.0.1 is in use: choose another with --listen");
      }
    }
  }
}
