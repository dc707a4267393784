package io.feedbridge.gateway.metrics.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TracesTest {

  private static final String COLLECTED = "v1/traces";
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-03-01T12:00:00Z"), ZoneOffset.UTC);

  private static List<JsonNode> spans(FakeSubscriber collector) {
    List<JsonNode> spans = new ArrayList<>();
    for (String body : collector.bodies(COLLECTED)) {
      try {
        JsonNode resource = new ObjectMapper().readTree(body).at("/resourceSpans/0");
        assertThat(resource.at("/resource/attributes/0/value/stringValue").asText())
            .isEqualTo("feedbridge");
        resource.at("/scopeSpans/0/spans").forEach(spans::add);
      } catch (IOException e) {
        throw new AssertionError(body, e);
      }
    }
    return spans;
  }

  private static URI base(FakeSubscriber collector) {
    return URI.create("http://127.0.0.1:" + collector.port());
  }

  @Test
  void an_event_has_one_trace_from_the_ping_to_each_delivery_which_is_sent_along(
      @TempDir Path data) {
    try (FakeSubscriber collector = new FakeSubscriber();
        World world = World.around(TestGateway.tracedTo(base(collector), data))) {
      String feed = world.origin().rss("traced.xml", "", "one") + "?key=s3cret";
      world.subscribe(feed, "good");
      world.subscribe(feed, "bad");
      world.subscriber().answer("bad", 500);
      world.origin().rss("traced.xml", "", "two", "one");
      world.publish(feed);

      World.until(
          () ->
              spans(collector).stream()
                      .filter(span -> span.path("name").asText().equals("delivery"))
                      .count()
                  >= 2);
      List<JsonNode> spans = spans(collector);
      assertThat(spans.stream().map(span -> span.path("traceId").asText()).distinct()).hasSize(1);
      Map<String, JsonNode> named =
          spans.stream()
              .collect(
                  Collectors.toMap(
                      span -> span.path("name").asText(), span -> span, (one, other) -> one));
      assertThat(named).containsOnlyKeys("publish", "fetch", "record", "delivery");
      JsonNode root = Objects.requireNonNull(named.get("publish"));
      assertThat(root.has("parentSpanId")).isFalse();
      assertThat(root.path("attributes").toString())
          .contains("traced.xml")
          .doesNotContain("s3cret");
      assertThat(spans)
          .allSatisfy(
              span -> {
                assertThat(span.path("startTimeUnixNano").asLong())
                    .isBetween(
                        root.path("startTimeUnixNano").asLong(),
                        span.path("endTimeUnixNano").asLong());
                if (!span.equals(root)) {
                  assertThat(span.path("parentSpanId")).isEqualTo(root.path("spanId"));
                }
              });

      String sent = world.subscriber().received("good").get(0).header("traceparent").orElse("");
      assertThat(sent).startsWith("00-" + root.path("traceId").asText() + "-").endsWith("-01");
      String refused = "/api/v1/subscriptions/2/deliveries";
      String delivery =
          world.gateway().get(refused).body().replaceFirst("(?s).*?\"id\":\"(\\d+)\".*", "$1");
      assertThat(world.gateway().get(refused + "/" + delivery).body())
          .as("the request on record is the one that was sent")
          .contains("traceparent");
      assertThat(spans)
          .anySatisfy(
              span -> {
                assertThat(sent).contains(span.path("spanId").asText());
                assertThat(span.at("/status/code").asInt()).isZero();
              })
          .anySatisfy(
              span -> {
                assertThat(span.at("/status/code").asInt()).isEqualTo(2);
                assertThat(span.at("/status/message").asText()).isEqualTo("refused");
              });
    }
  }

  @Test
  void without_a_collector_nothing_is_sent_along(@TempDir Path data) {
    try (World world = World.on(data)) {
      String feed = world.origin().rss("feed.xml", "", "one");
      world.subscribe(feed, "reader");
      world.origin().rss("feed.xml", "", "two", "one");
      world.publish(feed);
      World.until(() -> !world.subscriber().received("reader").isEmpty());

      assertThat(world.subscriber().received("reader").get(0).header("traceparent")).isEmpty();
    }
    Traces.off()
        .recorded(
            List.of(1L),
            () -> {
              throw new AssertionError("nothing is made for a trace");
            });
  }

  @Test
  void the_ids_follow_from_the_event_so_that_another_process_goes_on_with_its_trace() {
    List<Span> spans = new ArrayList<>();
    Traces before = new Traces("https://hub.example", 100, spans::add, CLOCK);
    Traces after = new Traces("https://hub.example", 100, spans::add, CLOCK);
    Traces other = new Traces("https://other.example", 100, spans::add, CLOCK);
    before.recorded(
        List.of(7L),
        () ->
            new Traces.Change(
                "http://a.example", "ping", CLOCK.instant(), CLOCK.instant(), Optional.empty()));
    for (Traces traces : List.of(after, other)) {
      traces
          .delivery(Protocol.WEBSUB, "b.example", 7, 2)
          .orElseThrow()
          .ended(DeliveryOutcome.DELIVERED);
    }

    Span root = spans.get(0);
    assertThat(spans.get(2).traceId()).isEqualTo(root.traceId()).matches("[0-9a-f]{32}");
    assertThat(spans.get(2).parentSpanId()).isEqualTo(root.spanId()).matches("[0-9a-f]{16}");
    assertThat(spans.get(2).spanId()).matches("[0-9a-f]{16}").isNotEqualTo(root.spanId());
    assertThat(spans.get(3).traceId()).isNotEqualTo(root.traceId());
  }

  @Test
  void a_part_of_the_events_is_traced_and_the_choice_is_the_same_on_all_their_way() {
    List<Span> spans = new ArrayList<>();
    Traces traces = new Traces("https://hub.example", 20, spans::add, CLOCK);
    List<Long> traced =
        IntStream.rangeClosed(1, 1_000)
            .mapToObj(Long::valueOf)
            .filter(event -> traces.delivery(Protocol.WEBHOOK, "b", event, 1).isPresent())
            .toList();

    assertThat(traced).hasSizeBetween(150, 250);
    for (long event = 1; event <= 1_000; event++) {
      spans.clear();
      traces.recorded(
          List.of(event),
          () -> new Traces.Change("f", "poll", CLOCK.instant(), CLOCK.instant(), Optional.empty()));
      assertThat(!spans.isEmpty()).isEqualTo(traced.contains(event));
    }
    assertThat(traces.delivery(Protocol.WEBHOOK, "b", 0, 1)).as("a test has no event").isEmpty();
  }

  private static double count(SimpleMeterRegistry registry, String end) {
    return registry.get("feedbridge.trace.spans").tag("end", end).counter().count();
  }

  @Test
  void a_collector_that_is_away_costs_the_spans_alone_which_are_counted() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    URI nobody = URI.create("http://127.0.0.1:" + FreePort.next());
    try (TraceExport export = TraceExport.to(nobody, "1", new Meters(registry, CLOCK))) {
      assertThat(count(registry, "dropped")).as("from the start").isZero();
      Traces traces = export.traces(URI.create("https://hub.example"), 100, CLOCK);
      for (int i = 0; i < TraceExport.MAX_WAITING + 2 * TraceExport.MAX_SENT; i++) {
        traces.delivery(Protocol.WEBSUB, "b", 1, 1).orElseThrow().ended(DeliveryOutcome.GONE);
      }
      assertThat(count(registry, "dropped")).isPositive();
    }
    assertThat(count(registry, "sent")).isZero();
  }

  @Test
  void a_collector_that_is_busy_is_asked_again_and_the_rest_is_sent_at_the_stop() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (FakeSubscriber collector = new FakeSubscriber()) {
      List<Integer> answers = new ArrayList<>(List.of(503, 200, 200));
      collector.answer(
          COLLECTED,
          request -> {
            synchronized (answers) {
              return CompletableFuture.completedFuture(Response.empty(answers.remove(0)));
            }
          });
      try (TraceExport export =
          TraceExport.to(base(collector).resolve("/v1/traces"), "1", new Meters(registry, CLOCK))) {
        Traces traces = export.traces(URI.create("https://hub.example"), 100, CLOCK);
        traces.delivery(Protocol.WEBSUB, "b", 1, 1).orElseThrow().ended(DeliveryOutcome.GONE);
        World.until(() -> count(registry, "sent") == 1);
        assertThat(collector.bodies(COLLECTED)).hasSize(2);
        traces.delivery(Protocol.WEBSUB, "b", 1, 1).orElseThrow().ended(DeliveryOutcome.GONE);
      }
      assertThat(count(registry, "sent")).isEqualTo(2);
      assertThat(count(registry, "dropped")).isZero();
    }
  }
}
