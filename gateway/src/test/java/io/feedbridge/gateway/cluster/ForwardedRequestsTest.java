package io.feedbridge.gateway.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardedRequestsTest {

  private static final byte[] KEY = "a key of the store".getBytes(UTF_8);

  private static final Clock NOW =
      Clock.fixed(Instant.parse("2026-11-26T12:00:00Z"), ZoneOffset.UTC);

  private final ForwardedRequests nodes = new ForwardedRequests(KEY, NOW);

  private static Request request() {
    return new Request(
        "POST",
        "/hub",
        "/hub",
        "a=1",
        Map.of(),
        Headers.of("Host", "feeds.example", "Accept", "text/html"),
        "hub.mode=subscribe".getBytes(UTF_8),
        new InetSocketAddress("198.51.100.7", 4711),
        Map.of());
  }

  /** The request as it comes to the owner, from the address of the node. */
  private Request forwarded(Request request) {
    return request
        .withHeader(ForwardedRequests.HEADER, nodes.header(request))
        .withHeader("Host", "10.0.0.1:5341")
        .from(new InetSocketAddress("10.0.0.2", 50_000));
  }

  @Test
  void a_forwarded_request_has_the_address_and_the_host_that_the_client_used() {
    Request original = nodes.original(forwarded(request()));

    assertThat(original.peer().getAddress().getHostAddress()).isEqualTo("198.51.100.7");
    assertThat(original.header("Host")).contains("feeds.example");
    assertThat(original.header("Accept")).contains("text/html");
    assertThat(original.body()).isEqualTo(request().body());
  }

  @Test
  void an_address_of_IPv6_is_kept() {
    Request request = request().from(new InetSocketAddress("2001:db8::7", 1));

    assertThat(nodes.original(forwarded(request)).peer().getAddress())
        .isEqualTo(request.peer().getAddress());
  }

  @Test
  void a_request_without_the_header_is_as_it_came() {
    Request request = request();

    assertThat(nodes.original(request)).isSameAs(request);
  }

  @Test
  void a_header_holds_for_its_own_request_alone() {
    Request forwarded = forwarded(request());

    assertRefused(forwarded.withBody("hub.mode=unsubscribe".getBytes(UTF_8)), "another body");
    UnaryOperator<Request> path =
        it ->
            new Request(
                it.method(),
                "/",
                "/",
                it.rawQuery(),
                it.query(),
                it.headers(),
                it.body(),
                it.peer(),
                it.pathVariables());
    assertRefused(path.apply(forwarded), "is not signed");
    UnaryOperator<Request> method =
        it ->
            new Request(
                "DELETE",
                it.path(),
                it.rawPath(),
                it.rawQuery(),
                it.query(),
                it.headers(),
                it.body(),
                it.peer(),
                it.pathVariables());
    assertRefused(method.apply(forwarded), "is not signed");
  }

  @Test
  void another_address_or_host_or_time_needs_another_signature() {
    Request forwarded = forwarded(request());
    String header = forwarded.header(ForwardedRequests.HEADER).orElseThrow();
    for (int part = 0; part < 3; part++) {
      String[] parts = header.split(" ");
      parts[part] = parts[part] + "1";
      assertRefused(
          forwarded.withHeader(ForwardedRequests.HEADER, String.join(" ", parts)), "is not signed");
    }
  }

  @Test
  void a_node_of_another_store_is_not_believed() {
    Request request = request();
    String header = new ForwardedRequests("another".getBytes(UTF_8), NOW).header(request);

    assertRefused(request.withHeader(ForwardedRequests.HEADER, header), "is not signed");
  }

  @Test
  void a_header_is_believed_for_a_minute() {
    Request forwarded = forwarded(request());
    Clock last = Clock.offset(NOW, ForwardedRequests.MOST_APART);
    assertThat(new ForwardedRequests(KEY, last).original(forwarded).peer())
        .isNotEqualTo(forwarded.peer());

    Clock late = Clock.offset(last, Duration.ofMillis(1));
    assertThatThrownBy(() -> new ForwardedRequests(KEY, late).original(forwarded))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("the clocks of the nodes differ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1 2 3 4", "1 2 3 4 5 6", "x 1 - y z"})
  void a_header_of_any_other_form_is_refused(String header) {
    assertThatThrownBy(() -> nodes.original(request().withHeader(ForwardedRequests.HEADER, header)))
        .isInstanceOf(BadRequestException.class);
  }

  @Test
  void a_target_with_characters_that_no_URI_has_is_encoded() {
    Request odd =
        new Request(
            "GET",
            "/a|b",
            "/a|b",
            "q=[x]{y}\"z\"<>^`\\",
            Map.of(),
            Headers.none(),
            new byte[0],
            new InetSocketAddress("198.51.100.7", 1),
            Map.of());

    assertThat(ForwardedRequests.target(odd))
        .isEqualTo("/a%7cb?q=%5bx%5d%7by%7d%22z%22%3c%3e%5e%60%5c");
  }

  private void assertRefused(Request request, String why) {
    assertThatThrownBy(() -> nodes.original(request))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining(why);
  }
}
