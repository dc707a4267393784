package io.feedbridge.gateway.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.Limits;
import io.feedbridge.gateway.guard.Rate;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One caller has the gateway wait for an origin that never answers, as often as the gateway lets
 * it. The requests of all other callers are answered meanwhile.
 */
class SharesTest {

  private static final String ATTACKER = "192.0.2.1";
  private static final int OTHERS = 41;

  @TempDir Path data;
  private final CompletableFuture<Void> never = new CompletableFuture<>();
  private final FakeOrigin slow = new FakeOrigin("127.0.0.2");
  private final FakeOrigin origin = new FakeOrigin();
  private final Http http = new Http();
  private TestGateway gateway;

  @BeforeEach
  void start() {
    gateway = gateway("100000/h");
  }

  @AfterEach
  void stop() {
    never.complete(null);
    gateway.close();
    slow.close();
    origin.close();
  }

  private TestGateway gateway(String unasked) {
    Rate many = Rate.parse("100000/h").orElseThrow();
    Limits limits =
        new Limits(
            many, many, many, many, many, Rate.parse(unasked).orElseThrow(), many, List.of());
    return TestGateway.guarding(
        data,
        new Settings.Guarding(UrlPatterns.ALL, UrlPatterns.ALL, limits, TrackerPolicy.OPEN),
        Duration.ZERO,
        (loop, transport) ->
            host ->
                CompletableFuture.completedFuture(
                    List.of(loopback(host.endsWith(".slow.test") ? 2 : 1))));
  }

  private static InetAddress loopback(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String other(int number) {
    return "198.51.100." + number;
  }

  private CompletableFuture<HttpResponse<String>> get(String caller, String path) {
    return http.getAsync(gateway.url(path), "X-Forwarded-For", caller);
  }

  /** A path of the slow origin, which answers nothing as long as the test runs. */
  private String hanging(String path) {
    String url = slow.rss(path, "", "one");
    slow.holdBack(path, never);
    return url;
  }

  /** Requests of the attacker, once each is refused or has made the gateway wait. */
  private List<CompletableFuture<HttpResponse<String>>> attack(String path, int count) {
    List<CompletableFuture<HttpResponse<String>>> answers =
        IntStream.range(0, count)
            .mapToObj(i -> hanging("slow-" + i))
            .map(url -> get(ATTACKER, path + "?" + Http.encode("url", url)))
            .toList();
    World.until(
        () ->
            answers.stream().filter(CompletableFuture::isDone).count() + slow.requests() == count);
    return answers;
  }

  private static List<Integer> statuses(List<CompletableFuture<HttpResponse<String>>> answers) {
    return answers.stream().map(answer -> answer.join().statusCode()).toList();
  }

  private String list(FakeOrigin at, String path) {
    byte[] list = Opml.write("x", List.of(new Outline("http://feed.example/" + path, "One")));
    return "/opml?" + Http.encode("url", at.serve(path, "text/x-opml", list));
  }

  /** A registration whose feed is fetched first, as a compressed form. */
  private CompletableFuture<HttpResponse<String>> register(String caller, String feed, int bytes) {
    String form =
        Http.encode(
            "notifyProcedure",
            "",
            "port",
            "80",
            "path",
            "/",
            "protocol",
            "http-post",
            "url1",
            feed,
            "pad",
            "a".repeat(bytes));
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(form.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return http.post(
        gateway.url("/pleaseNotify"),
        "application/x-www-form-urlencoded",
        packed.toByteArray(),
        "Content-Encoding",
        "gzip",
        "X-Forwarded-For",
        caller);
  }

  @Test
  void large_compressed_bodies_of_others_leave_room_for_a_small_one() {
    int large = 1_048_000;
    List<CompletableFuture<HttpResponse<String>>> held =
        IntStream.range(0, 40)
            .mapToObj(i -> register(other(1 + i / 5), hanging("packed-" + i), large))
            .toList();
    // Each is refused, or waits for its feed.
    World.until(
        () ->
            held.stream().filter(CompletableFuture::isDone).count() > 20 || slow.requests() >= 10);

    HttpResponse<String> small =
        register(other(200), origin.rss("small.xml", "", "one"), 20_000).join();

    assertThat(small.statusCode()).as(small.body()).isNotEqualTo(503);
    assertThat(held.stream().filter(CompletableFuture::isDone).map(one -> one.join().statusCode()))
        .contains(503);
  }

  @Test
  void lists_that_one_caller_has_read_slowly_leave_room_for_the_lists_of_others() {
    String list = list(origin, "list.opml");
    var attack = attack("/opml", 8);

    List<Integer> others =
        statuses(IntStream.rangeClosed(1, OTHERS).mapToObj(i -> get(other(i), list)).toList());

    assertThat(others).containsOnly(200);
    assertThat(attack).filteredOn(answer -> !answer.isDone()).isNotEmpty();
  }

  @Test
  void lists_at_one_host_are_as_few_as_all_requests_that_a_host_did_not_ask_for() {
    gateway.close();
    gateway = gateway("20/h");

    List<Integer> statuses =
        IntStream.rangeClosed(1, 60)
            .mapToObj(i -> get(other(i), list(origin, "list-" + i)).join().statusCode())
            .toList();

    assertThat(origin.requests()).isEqualTo(20);
    assertThat(statuses.subList(0, 20)).containsOnly(200);
    assertThat(statuses.subList(20, 60)).containsOnly(429);
  }

  @Test
  void checks_that_one_caller_has_made_slowly_hold_up_no_check_of_another() {
    List<String> slowChecks =
        IntStream.range(0, 4).mapToObj(i -> check(ATTACKER, hanging("slow-" + i))).toList();

    String quick = check(other(1), origin.rss("quick.xml", "", "one"));
    World.until(() -> gateway.get(quick).body().contains("\"findings\":[{"));

    assertThat(slowChecks)
        .as("checks of the attacker still wait")
        .allSatisfy(path -> assertThat(gateway.get(path).body()).contains("\"running\""));
  }

  /** Begins a check; its path. */
  private String check(String caller, String url) {
    HttpResponse<String> answer = gateway.formBy(caller, "/check", "url", url);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    return answer.headers().firstValue("Location").orElseThrow();
  }

  @Test
  void bridged_feeds_that_one_caller_reads_first_leave_room_for_the_reads_of_others() {
    var attack =
        IntStream.range(0, 270)
            .mapToObj(i -> hanging("slow-" + i))
            .map(url -> get(ATTACKER, "/feed.atom?" + Http.encode("url", url)))
            .toList();
    World.until(() -> attack.stream().anyMatch(CompletableFuture::isDone));
    List<String> feeds =
        IntStream.rangeClosed(1, 5).mapToObj(i -> origin.rss("feed-" + i, "", "one")).toList();

    List<Integer> others =
        statuses(
            IntStream.rangeClosed(1, 5)
                .mapToObj(i -> get(other(i), "/feed.atom?" + Http.encode("url", feeds.get(i - 1))))
                .toList());

    assertThat(others).containsOnly(200);
    assertThat(
            attack.stream()
                .filter(CompletableFuture::isDone)
                .map(answer -> answer.join().statusCode())
                .collect(Collectors.toSet()))
        .containsOnly(503);
    assertThat(attack).filteredOn(answer -> !answer.isDone()).isNotEmpty();
  }

  /** Feeds whose clouds take requests and never answer, each with its registration under way. */
  private void followAtSlowClouds(int feeds, IntFunction<String> cloud) {
    for (int i = 0; i < feeds; i++) {
      String topic = origin.rss("clouded-" + i, cloud.apply(i), "one");
      gateway.store().bridges().read(topic, Instant.now()).join();
    }
  }

  private String cloud(String host, String path) {
    int port = URI.create(hanging(path)).getPort();
    return ("<cloud domain=\"%s\" port=\"%d\" path=\"/%s\""
            + " registerProcedure=\"\" protocol=\"http-post\"/>")
        .formatted(host, port, path);
  }

  private void followAtHub(FakeHub hub, String path) {
    String element = "<atom:link rel=\"hub\" href=\"" + hub.url() + "\"/>";
    int before = hub.requests().size();
    gateway.store().bridges().read(origin.rss(path, element, "one"), Instant.now()).join();
    World.until(() -> hub.requests().size() > before);
  }

  @Test
  void clouds_of_one_host_that_never_answer_hold_up_no_request_to_a_hub() {
    try (FakeHub hub = new FakeHub()) {
      followAtSlowClouds(150, i -> cloud("127.0.0.2", "cloud-" + i));
      World.until(() -> slow.requests() >= 8);

      followAtHub(hub, "hubbed.xml");
    }
  }

  @Test
  void clouds_of_many_hosts_that_never_answer_hold_up_no_request_to_a_hub_that_answers() {
    try (FakeHub hub = new FakeHub()) {
      followAtHub(hub, "first.xml");
      followAtSlowClouds(300, i -> cloud("host-" + i + ".slow.test", "cloud"));
      World.until(() -> slow.requests() >= 64);

      followAtHub(hub, "second.xml");
    }
  }

  @Test
  void feeds_of_one_host_that_are_explained_slowly_hold_up_no_other() {
    List<CompletableFuture<HttpResponse<String>>> hanging =
        IntStream.range(0, 6).mapToObj(i -> explain(hanging("slow-" + i))).toList();
    World.until(() -> slow.requests() >= 2);

    assertThat(explain(origin.rss("quick.xml", "", "one")).join().statusCode()).isEqualTo(200);
    assertThat(hanging).filteredOn(answer -> !answer.isDone()).isNotEmpty();
  }

  private CompletableFuture<HttpResponse<String>> explain(String url) {
    String path = "/api/v1/explain?" + Http.encode("url", url);
    return http.getAsync(gateway.url(path), "Accept", "*/*");
  }

  @Test
  void test_events_at_one_host_leave_room_for_those_of_another() {
    int atSlow = webhook(hanging("hook"));
    int other = webhook(origin.rss("hook", "", "one"));
    List<CompletableFuture<HttpResponse<String>>> hanging =
        IntStream.range(0, 16).mapToObj(i -> testEvent(atSlow)).toList();
    World.until(() -> !slow.requests("hook").isEmpty());

    assertThat(testEvent(other).join().body()).contains("\"delivered\":true");
    assertThat(hanging).filteredOn(answer -> !answer.isDone()).isNotEmpty();
  }

  private int webhook(String url) {
    String body =
        "{\"url\":\"%s\",\"topics\":[\"%s\"],\"verified\":true}"
            .formatted(url, origin.url("feed.xml"));
    HttpResponse<String> made = gateway.json("POST", "/api/v1/webhooks", body);
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    return Integer.parseInt(made.body().replaceFirst("(?s).*?\"id\":\"?(\\d+).*", "$1"));
  }

  private CompletableFuture<HttpResponse<String>> testEvent(int webhook) {
    return http.post(
        gateway.url("/api/v1/webhooks/" + webhook + "/test"), "application/json", new byte[0]);
  }

  @Test
  void one_caller_has_a_share_of_the_requests_that_wait_for_entries() {
    String topic = origin.rss("feed.xml", "", "one");
    gateway.store().bridges().read(topic, Instant.now()).join();
    gateway.settle();
    String poll = "/hub?" + Http.encode("hub.mode", "retrieve", "hub.topic", topic, "wait", "poll");
    List<CompletableFuture<HttpResponse<String>>> attack =
        IntStream.range(0, 101)
            .mapToObj(i -> http.getAsync(gateway.url(poll), "Accept", "*/*"))
            .toList();

    World.until(() -> attack.stream().anyMatch(CompletableFuture::isDone));
    assertThat(attack.stream().filter(CompletableFuture::isDone).toList())
        .singleElement()
        .satisfies(refused -> assertThat(refused.join().statusCode()).isEqualTo(503));
  }
}
