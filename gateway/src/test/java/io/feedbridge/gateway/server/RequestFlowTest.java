package io.feedbridge.gateway.server;

import static io.feedbridge.gateway.server.Embedded.assertRefuses;
import static io.feedbridge.gateway.server.Embedded.content;
import static io.feedbridge.gateway.server.Embedded.last;
import static io.feedbridge.gateway.server.Embedded.request;
import static io.feedbridge.gateway.server.Embedded.response;
import static java.util.concurrent.CompletableFuture.completedStage;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.feedbridge.gateway.server.limits.RequestRoom;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.RefusalForm;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.LeakCheck;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** The way of a request from its head to its handler, a handler of the pipeline at a time. */
@ExtendWith(LeakCheck.class)
class RequestFlowTest {
  private static final Handler UNUSED = request -> completedStage(Response.noContent());
  private static final Router ROUTER =
      Router.builder()
          .route("GET", "/a", UNUSED)
          .route("POST", "/a", RouteOptions.body(4, "text/xml", "application/xml"), UNUSED)
          .route("POST", "/any/{id}", RouteOptions.anyBody(4), UNUSED)
          .build();

  @Nested
  class RoutingTest {
    private final EmbeddedChannel channel = new EmbeddedChannel(new Routing(() -> ROUTER));

    private Routing.Admitted admit(String method, String uri, String... headers) {
      channel.writeInbound(request(method, uri, headers));
      assertThat(Embedded.outbound(channel)).isNull();
      Object admitted = channel.readInbound();
      assertThat(admitted).isInstanceOf(Routing.Admitted.class);
      return (Routing.Admitted) admitted;
    }

    @Test
    void a_head_finds_its_route_and_variables() {
      Routing.Admitted admitted = admit("POST", "/any/x?q=1", "Content-Length", "4");
      assertThat(admitted.found().variables()).isEqualTo(Map.of("id", "x"));
      assertThat(admitted.target().rawQuery()).isEqualTo("q=1");
      assertThat(channel.attr(Observation.ROUTE).get()).isEqualTo("/any/{id}");
    }

    @ParameterizedTest
    @CsvSource({
      "GET, /b, 404",
      "GET, *, 404",
      "PUT, /a, 405",
      "get, /a, 501",
      "TRACE, /a, 501",
      "CONNECT, a:80, 501",
      "GET, a:80, 400",
      "GET, /a?%, 400",
      "OPTIONS, *, 204",
    })
    void others_are_refused_from_the_head_alone(String method, String uri, int status) {
      assertThat(assertRefuses(channel, request(method, uri)).status()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({"GET, /a, 1", "POST, /a, 5", "POST, /any/x, 5", "POST, /a, 9223372036854775807"})
    void a_body_longer_than_its_routes_bound_is_answered_413(
        String method, String uri, String length) {
      Response response = assertRefuses(channel, request(method, uri, "Content-Length", length));
      assertThat(response.status()).isEqualTo(413);
    }

    @ParameterizedTest
    @CsvSource({"text/xml", "TEXT/XML", "text/xml; charset=\"x\"", "application/xml ;a=b"})
    void a_type_the_route_takes_passes(String type) {
      admit("POST", "/a", "Content-Length", "4", "Content-Type", type);
    }

    @Test
    void a_body_of_no_type_passes_and_no_body_needs_none() {
      admit("POST", "/a", "Content-Length", "4");
      admit("POST", "/a", "Content-Type", "text/plain");
      admit("POST", "/any/x", "Content-Length", "4", "Content-Type", "text/plain");
    }

    @Test
    void another_type_is_answered_415_with_those_taken() {
      Response response =
          assertRefuses(
              channel,
              request("POST", "/a", "Transfer-Encoding", "chunked", "Content-Type", "text/x"));
      assertThat(response.status()).isEqualTo(415);
      assertThat(response.bodyAsText()).isEqualTo("the body must be application/xml or text/xml");
    }

    @Test
    void two_types_are_answered_415() {
      Response response =
          assertRefuses(
              channel,
              request(
                  "POST",
                  "/a",
                  "Content-Length",
                  "4",
                  "Content-Type",
                  "text/xml",
                  "Content-Type",
                  "text/xml"));
      assertThat(response.status()).isEqualTo(415);
    }
  }

  @Nested
  class BodyCollectorTest {
    private final EmbeddedChannel channel =
        new EmbeddedChannel(
            new Routing(() -> ROUTER), new BodyCollector(new RequestRoom(1_000_000)));

    @Test
    void the_parts_become_one_body() {
      HttpContent part = content("a");
      channel.writeInbound(
          request("POST", "/any/x%20y?q=%31", "Transfer-Encoding", "chunked", "X-A", "1"));
      channel.writeInbound(part, content("bc"), last("d"));
      BodyCollector.Routed routed = channel.readInbound();
      Request request = routed.request();
      assertThat(new String(request.body(), StandardCharsets.UTF_8)).isEqualTo("abcd");
      assertThat(request.path()).isEqualTo("/any/x y");
      assertThat(request.query()).isEqualTo(Map.of("q", List.of("1")));
      assertThat(request.pathVariables()).isEqualTo(Map.of("id", "x y"));
      assertThat(request.header("x-a")).contains("1");
      assertThat(part.refCnt()).isZero();
    }

    @Test
    void RFC9112_3_2_2_the_authority_of_the_target_replaces_the_host() {
      channel.writeInbound(
          request("GET", "http://b:1/a", "Host", "localhost"), LastHttpContent.EMPTY_LAST_CONTENT);
      BodyCollector.Routed routed = channel.readInbound();
      assertThat(routed.request().headers().all("Host")).containsExactly("b:1");
    }

    @Test
    void a_body_that_grows_past_the_bound_is_answered_413_once() {
      channel.writeInbound(request("POST", "/any/x", "Transfer-Encoding", "chunked"));
      HttpContent tooMuch = content("cde");
      HttpContent rest = last("f");
      channel.writeInbound(content("ab"), tooMuch, rest);
      assertThat(response(channel).status()).isEqualTo(413);
      assertThat(Embedded.inbound(channel)).isNull();
      assertThat(tooMuch.refCnt() + rest.refCnt()).isZero();
    }

    @Test
    void RFC9110_10_1_1_a_body_that_is_awaited_is_asked_for() {
      channel.writeInbound(
          request("POST", "/any/x", "Content-Length", "4", "Expect", "100-continue"));
      FullHttpResponse interim = channel.readOutbound();
      assertThat(interim.status()).isEqualTo(HttpResponseStatus.CONTINUE);
      interim.release();
    }

    @Test
    void RFC9110_10_1_1_no_body_is_not_asked_for() {
      channel.writeInbound(request("POST", "/any/x", "Expect", "100-continue"));
      assertThat(Embedded.outbound(channel)).isNull();
    }
  }

  @Nested
  class DispatcherTest {
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    @BeforeEach
    void connect() {
      channel.freezeTime();
      channel
          .pipeline()
          .addLast(new Dispatcher(java.util.function.UnaryOperator.identity(), BOUND));
      logged.start();
      logger().addAppender(logged);
    }

    @AfterEach
    void detach() {
      logger().detachAppender(logged);
    }

    private Logger logger() {
      return (Logger) LoggerFactory.getLogger(Dispatcher.class);
    }

    private void call(Handler handler) {
      Request request =
          new Request(
              "POST",
              "/feeds/secret",
              "secret",
              Map.of(),
              Headers.of("Authorization", "secret"),
              "secret".getBytes(StandardCharsets.UTF_8),
              InetSocketAddress.createUnresolved("peer", 1),
              Map.of("id", "secret"));
      channel.writeInbound(
          new BodyCollector.Routed(
              request,
              new Router.Route(
                  "/feeds/{id}", RouteOptions.anyBody(10), handler, RefusalForm.TEXT)));
    }

    @Test
    void the_handlers_response_is_written() {
      Response response = Response.noContent();
      call(request -> completedStage(response));
      assertThat(response(channel)).isSameAs(response);
    }

    @Test
    void a_bad_request_is_answered_400_with_its_reason_and_not_logged() {
      call(
          request -> {
            throw new BadRequestException("no topic");
          });
      Response response = response(channel);
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.bodyAsText()).isEqualTo("no topic");
      call(
          request ->
              CompletableFuture.failedStage(
                  new CompletionException(new BadRequestException("no callback"))));
      assertThat(response(channel).bodyAsText()).isEqualTo("no callback");
      assertThat(logged.list).isEmpty();
    }

    @Test
    void a_failure_is_answered_500_and_logged_once_without_secrets() {
      List<Handler> failing =
          List.of(
              request -> {
                throw new IllegalStateException("why");
              },
              request -> {
                throw new StackOverflowError();
              },
              request -> CompletableFuture.failedStage(new IllegalStateException("why")));
      for (Handler handler : failing) {
        logged.list.clear();
        call(handler);
        Response response = response(channel);
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.bodyAsText()).isEqualTo("internal error");
        assertThat(logged.list).hasSize(1);
        ILoggingEvent event = logged.list.get(0);
        assertThat(event.getKeyValuePairs().toString())
            .contains("route=\"/feeds/{id}\"", "method=\"POST\"")
            .doesNotContain("secret");
        assertThat(event.getFormattedMessage()).isEqualTo("handler failed");
        assertThat(event.getThrowableProxy()).isNotNull();
      }
    }

    @Test
    void a_handler_has_60_seconds_and_then_the_answer_is_503() {
      CompletableFuture<Response> slow = new CompletableFuture<>();
      call(request -> slow);
      channel.advanceTimeBy(BOUND.toNanos() - 1, TimeUnit.NANOSECONDS);
      channel.runScheduledPendingTasks();
      assertThat(Embedded.outbound(channel)).isNull();
      channel.advanceTimeBy(1, TimeUnit.NANOSECONDS);
      channel.runScheduledPendingTasks();
      assertThat(response(channel).status()).isEqualTo(503);
      assertThat(slow).isCancelled();
      assertThat(logged.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly("handler took too long");
    }

    @Test
    void an_answer_in_time_is_the_only_one() {
      CompletableFuture<Response> answer = new CompletableFuture<>();
      call(request -> answer);
      answer.complete(Response.noContent());
      assertThat(response(channel).status()).isEqualTo(204);
      channel.advanceTimeBy(BOUND.toNanos(), TimeUnit.NANOSECONDS);
      channel.runScheduledPendingTasks();
      assertThat(Embedded.outbound(channel)).isNull();
    }
  }

  @Nested
  class ObservationTest {
    private final List<String> finished = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    @BeforeEach
    void connect() {
      ServerObserver observer =
          new ServerObserver() {
            @Override
            public void requestFinished(String route, String method, int status, Duration took) {
              finished.add(route + " " + method + " " + status + " " + took);
            }
          };
      channel.freezeTime();
      channel.pipeline().addLast(new Observation(observer, () -> ROUTER));
    }

    @Test
    void a_request_is_reported_with_its_route_and_duration() {
      channel.writeInbound(request("POST", "/any/x"));
      channel.attr(Observation.ROUTE).set("/any/{id}");
      channel.advanceTimeBy(3, TimeUnit.SECONDS);
      channel.writeOutbound(Response.noContent());
      assertThat(finished).containsExactly("/any/{id} POST 204 PT3S");
    }

    @Test
    void text_of_the_client_becomes_no_label() {
      channel.writeInbound(request("SPELL", "/any/x"));
      channel.writeOutbound(Response.noContent());
      assertThat(finished).containsExactly("unmatched other 204 PT0S");
    }

    @Test
    void a_response_to_no_request_is_not_reported() {
      channel.writeOutbound(Response.text(408, "late"));
      assertThat(finished).isEmpty();
    }
  }
}
