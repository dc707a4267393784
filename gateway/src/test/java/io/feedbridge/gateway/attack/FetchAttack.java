package io.feedbridge.gateway.attack;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.load.PreparedStore;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.RawHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attacks on what the gateway fetches and keeps, and loads that look like one. */
@Tag("alone")
class FetchAttack {

  private static final String[] OPTIONS = {"--poll-min=12h", "--poll-max=24h", "--ping-quiet=0"};
  private static final String RSS = "application/rss+xml";
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** How long the origin takes for an answer. */
  private static final Duration ANSWER_TIME = Duration.ofMillis(5);

  /** Bytes of a large file. */
  private static final int FILE = 15 << 20;

  private static final int SAMPLES = 12;
  private static final int AT_ONCE = 200;

  /** On a machine that is busy with other things: {@code -Dattack.slower=3}. */
  private static final int SLOWER = Integer.getInteger("attack.slower", 1);

  /** How often each feed was published; its document has the newest entry alone. */
  private final Map<String, Integer> versions = new ConcurrentHashMap<>();

  /** Which entry reached which callback path, and when. */
  private final Map<String, Long> arrivals = new ConcurrentHashMap<>();

  private final AtomicInteger fetches = new AtomicInteger();
  private final List<RawHost> hosts = new ArrayList<>();
  private final RawHost origin = listen("127.0.7.1", this::feed);
  private final RawHost receiver = listen("127.0.7.2", this::receive);
  @TempDir Path data;

  @AfterEach
  void stop() {
    hosts.forEach(RawHost::close);
  }

  /** Answers one request, on a connection that is kept. */
  private interface Handler {
    void handle(RawHost.Received request, RawHost.Talk talk) throws IOException;
  }

  private RawHost listen(String address, Handler handler) {
    RawHost host =
        RawHost.on(
            address,
            talk -> {
              for (RawHost.Received request = talk.take(); request != null; request = talk.take()) {
                handler.handle(request, talk);
              }
            });
    hosts.add(host);
    return host;
  }

  private static String url(RawHost host, String path) {
    return host.at(host.address(), "/" + path);
  }

  private static void head(RawHost.Talk talk, String contentType, long length) throws IOException {
    talk.send(
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(contentType, length));
  }

  private static void answer(RawHost.Talk talk, String contentType, byte[] body)
      throws IOException {
    head(talk, contentType, body.length);
    talk.send(body);
  }

  private static String path(RawHost.Received request) {
    return request.target().substring(1).replaceFirst("\\?.*", "");
  }

  private void feed(RawHost.Received request, RawHost.Talk talk) throws IOException {
    fetches.incrementAndGet();
    LockSupport.parkNanos(ANSWER_TIME.toNanos());
    String path = path(request);
    answer(talk, RSS, rss(path + "-" + versions.getOrDefault(path, 0)));
  }

  private static byte[] rss(String id) {
    return "<rss version='2.0'><channel><title>t</title><item><guid>%s</guid></item></channel></rss>"
        .formatted(id)
        .getBytes(UTF_8);
  }

  private void receive(RawHost.Received request, RawHost.Talk talk) throws IOException {
    if (request.target().contains("challenge=")) {
      String challenge = request.target().replaceFirst(".*challenge=([^&]*).*", "$1");
      answer(talk, "text/plain", challenge.getBytes(UTF_8));
      return;
    }
    String path = path(request);
    int version = versions.getOrDefault(path, 0);
    if (request.body().contains(path + "-" + version + "<")) {
      arrivals.putIfAbsent(path + "-" + version, System.nanoTime());
    }
    answer(talk, "text/plain", new byte[0]);
  }

  private List<String> topics(String name, int count) {
    List<String> topics = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      topics.add(url(origin, name + i));
    }
    return topics;
  }

  /** Feeds with an empty baseline and a subscriber each, none of which is polled by itself. */
  private void subscribed(PreparedStore store, List<String> topics) {
    for (FollowedFeed feed : store.feeds(topics)) {
      String path = feed.topic().substring(feed.topic().lastIndexOf('/') + 1);
      store.subscribe(feed, url(receiver, path));
    }
  }

  private GatewayProcess start() {
    return GatewayProcess.start(data, FreePort.next(), OPTIONS);
  }

  private static CompletableFuture<HttpResponse<String>> ping(GatewayProcess gateway, String url) {
    return gateway.formAsync("/ping", "url", url);
  }

  /** All of them, no more at once than one address may have connections. */
  private static void pingAll(GatewayProcess gateway, List<String> urls) {
    for (int from = 0; from < urls.size(); from += AT_ONCE) {
      List<CompletableFuture<HttpResponse<String>>> answers =
          urls.subList(from, Math.min(urls.size(), from + AT_ONCE)).stream()
              .map(url -> ping(gateway, url))
              .toList();
      answers.forEach(answer -> assertThat(answer.join().statusCode()).isEqualTo(200));
    }
  }

  private long published(String path) {
    versions.merge(path, 1, Integer::sum);
    return System.nanoTime();
  }

  private boolean arrived(String path) {
    return arrivals.containsKey(path + "-" + versions.getOrDefault(path, 0));
  }

  /** How long a well-behaved feed's entries take from its ping to its subscriber. */
  private Duration delay(GatewayProcess gateway, String path) {
    long[] delays = new long[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
      long start = published(path);
      HttpResponse<String> answer = ping(gateway, url(origin, path)).join();
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      await().atMost(LONGEST).pollInterval(Duration.ofMillis(5)).until(() -> arrived(path));
      delays[i] = arrivals.getOrDefault(path + "-" + versions.get(path), Long.MAX_VALUE) - start;
      pause(100);
    }
    Arrays.sort(delays);
    return Duration.ofNanos(delays[SAMPLES * 9 / 10]);
  }

  /** The time between two steps of an attack is part of it. */
  private static void pause(int millis) {
    await().pollDelay(Duration.ofMillis(millis)).atMost(LONGEST).until(() -> true);
  }

  private static void compare(String attack, Duration without, Duration beside) {
    System.out.printf("[%s] without %s, beside %s%n", attack, without, beside);
    assertThat(beside)
        .isLessThan(without.multipliedBy(2).plus(Duration.ofMillis(500)).multipliedBy(SLOWER));
  }

  @Test
  void a_thousand_pings_of_one_host_are_delivered_within_5_s_beside_10_000_polls_of_it() {
    Duration without = thousandPings("without", 0);
    Duration beside = thousandPings("beside", 10_000);

    compare("1,000 pings", without, beside);
    assertThat(beside).isLessThan(Duration.ofSeconds(5).multipliedBy(SLOWER));
  }

  /** From the last acknowledgement to the last delivery, of a gateway that has just started. */
  private Duration thousandPings(String name, int polls) {
    int count = 1_000;
    List<String> pinged = topics(name, count);
    Path folder = data.resolve(name);
    try (PreparedStore store = new PreparedStore(folder)) {
      // A subscriber of each keeps it followed.
      List<FollowedFeed> overdue = store.overdue(topics("overdue", polls));
      overdue.forEach(feed -> store.subscribe(feed, url(receiver, "overdue")));
      subscribed(store, pinged);
      subscribed(store, topics(name + "-warm", count));
    }
    try (GatewayProcess gateway = GatewayProcess.start(folder, FreePort.next(), OPTIONS)) {
      thousand(gateway, name + "-warm", count);
      return thousand(gateway, name, count);
    }
  }

  private Duration thousand(GatewayProcess gateway, String name, int count) {
    for (int i = 0; i < count; i++) {
      published(name + i);
    }
    Duration cpu = cpu(gateway);
    long begun = System.nanoTime();
    pingAll(gateway, topics(name, count));
    long acknowledged = System.nanoTime();
    await().atMost(LONGEST).until(() -> IntStream.range(0, count).allMatch(i -> arrived(name + i)));
    System.out.printf(
        "[1,000 pings] %s: acknowledged within %s, delivered %s after the first ping, CPU %s%n",
        name,
        Duration.ofNanos(acknowledged - begun),
        Duration.ofNanos(System.nanoTime() - begun),
        cpu(gateway).minus(cpu));
    return Duration.ofNanos(System.nanoTime() - acknowledged);
  }

  private static Duration cpu(GatewayProcess gateway) {
    return ProcessHandle.of(gateway.pid())
        .flatMap(process -> process.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }

  @Test
  void a_ping_after_a_restart_with_300_polls_due_is_fetched_at_once() {
    try (PreparedStore store = new PreparedStore(data)) {
      List<FollowedFeed> overdue = store.overdue(topics("feed", 300));
      for (int i = 0; i < 300; i++) {
        store.subscribe(overdue.get(i), url(receiver, "feed" + i));
      }
    }
    try (GatewayProcess gateway = start()) {
      await().until(() -> fetches.get() > 2);
      Duration delay = delay(gateway, "feed299");
      System.out.printf("[restart] %s%n", delay);
      assertThat(delay).isLessThan(Duration.ofSeconds(1).multipliedBy(SLOWER));
    }
  }

  @Test
  void trickling_feeds_at_34_ports_of_a_machine_hold_up_no_other_feed() {
    List<String> trickling = new ArrayList<>();
    for (int port = 0; port < 34; port++) {
      RawHost slow = listen("127.0.7.3", FetchAttack::trickle);
      for (int i = 0; i < 4; i++) {
        trickling.add(url(slow, "trickle" + i));
      }
    }
    trickle("trickle", trickling);
  }

  @Test
  void trickling_feeds_at_100_machines_hold_up_no_other_feed() {
    List<String> trickling = new ArrayList<>();
    for (int machine = 1; machine <= 100; machine++) {
      RawHost slow = listen("127.0.8." + machine, FetchAttack::trickle);
      trickling.add(url(slow, "trickle0"));
      trickling.add(url(slow, "trickle1"));
    }
    trickle("many machines", trickling);
  }

  private void trickle(String name, List<String> trickling) {
    try (PreparedStore store = new PreparedStore(data)) {
      subscribed(store, trickling);
      subscribed(store, List.of(url(origin, "well")));
    }
    try (GatewayProcess gateway = start()) {
      delay(gateway, "well");
      Duration without = delay(gateway, "well");
      pingAll(gateway, trickling);
      pause(500);
      compare(name, without, delay(gateway, "well"));
    }
  }

  private static void trickle(RawHost.Received request, RawHost.Talk talk) throws IOException {
    talk.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: " + RSS + "\r\n\r\n");
    for (int second = 0; second < 25; second++) {
      talk.send("<");
      pause(1_000);
    }
    talk.reset();
  }

  @Test
  void pings_for_large_files_of_a_third_party_fetch_no_more_than_the_budget_of_its_host() {
    AtomicLong sent = new AtomicLong();
    byte[] piece = new byte[1 << 16];
    RawHost victim =
        listen(
            "127.0.7.4",
            (request, talk) -> {
              head(talk, "application/zip", FILE);
              for (int at = 0; at < FILE; at += piece.length) {
                talk.send(piece);
                sent.addAndGet(piece.length);
              }
            });
    List<String> topics = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      topics.add(url(victim, "file.zip?" + i));
    }
    try (PreparedStore store = new PreparedStore(data)) {
      store.feeds(topics).forEach(feed -> store.subscribe(feed, url(receiver, "attacker")));
      subscribed(store, List.of(url(origin, "well")));
    }
    try (GatewayProcess gateway = start()) {
      delay(gateway, "well");
      Duration without = delay(gateway, "well");
      for (int round = 0; round < 6; round++) {
        pingAll(gateway, topics);
        pause(3_000);
      }
      compare("large files", without, delay(gateway, "well"));
      System.out.printf("[large files] %d MiB sent by the victim%n", sent.get() >> 20);
      assertThat(sent.get() >> 20).isLessThan(512 + 8 * 16);
      assertThat(gateway.meter("feedbridge_fetches_held_back_total")).isPositive();
    }
  }

  @Test
  void a_feed_of_new_ids_at_each_fetch_grows_the_store_by_no_more_than_its_budget() {
    AtomicInteger served = new AtomicInteger();
    RawHost flooding = listen("127.0.7.5", (request, talk) -> answer(talk, RSS, flood(served)));
    try (PreparedStore store = new PreparedStore(data)) {
      store
          .feeds(List.of(url(flooding, "flood")))
          .forEach(feed -> store.subscribe(feed, url(receiver, "attacker")));
      subscribed(store, List.of(url(origin, "well")));
    }
    try (GatewayProcess gateway = start()) {
      delay(gateway, "well");
      Duration without = delay(gateway, "well");
      long before = size();
      long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
      while (System.nanoTime() < end) {
        ping(gateway, url(flooding, "flood")).join();
        pause(500);
      }
      compare("flood", without, delay(gateway, "well"));
      long grown = (size() - before) >> 20;
      System.out.printf("[flood] %d documents of 15 MB, %d MiB of store%n", served.get(), grown);
      // Events, and beside them the newest document, its newest entries and the ids seen.
      assertThat(grown).isLessThan(64 + 16 + 2 * 16 + 64);
      HttpResponse<String> feeds = gateway.get("/api/v1/feeds?url=" + url(flooding, "flood"));
      assertThat(feeds.body()).contains("heldBack").contains("within a day");
    }
  }

  private static byte[] flood(AtomicInteger served) {
    int document = served.incrementAndGet();
    String filler = "x".repeat(10_000);
    StringBuilder items = new StringBuilder("<rss version='2.0'><channel><title>t</title>");
    for (int i = 0; i < 1_450; i++) {
      items.append(
          "<item><guid>%d-%d</guid><description>%s</description></item>"
              .formatted(document, i, filler));
    }
    return items.append("</channel></rss>").toString().getBytes(UTF_8);
  }

  private long size() {
    try (Stream<Path> files = Files.list(data)) {
      return files
          .filter(file -> file.toString().contains(".db"))
          .mapToLong(FetchAttack::size)
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException gone) {
      return 0;
    }
  }

  @Test
  void a_hundred_new_feeds_of_one_host_are_registered_within_10_s_each() {
    try (GatewayProcess gateway = start()) {
      List<Duration> took = new ArrayList<>();
      for (int from = 0; from < 100; from += 50) {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = from; i < from + 50; i++) {
          answers.add(register(gateway, List.of(url(origin, "new" + i))));
        }
        answers.forEach(answer -> assertThat(answer.join().body()).contains("success=\"true\""));
        took.add(Duration.ofNanos(System.nanoTime() - start));
      }
      long start = System.nanoTime();
      HttpResponse<String> all = register(gateway, topics("more", 100)).join();
      took.add(Duration.ofNanos(System.nanoTime() - start));
      System.out.printf(
          "[registrations] 50 in %s, 50 in %s, 100 of one call in %s%n", took.toArray());
      assertThat(all.body()).contains("success=\"true\"");
      assertThat(took).allMatch(one -> one.compareTo(Duration.ofSeconds(10)) < 0);
    }
  }

  private CompletableFuture<HttpResponse<String>> register(
      GatewayProcess gateway, List<String> urls) {
    List<String> form =
        new ArrayList<>(
            List.of(
                "notifyProcedure",
                "",
                "protocol",
                "http-post",
                "domain",
                "127.0.7.2",
                "port",
                Integer.toString(receiver.port()),
                "path",
                "/handler"));
    for (int i = 0; i < urls.size(); i++) {
      form.add("url" + (i + 1));
      form.add(urls.get(i));
    }
    return gateway.formAsync("/pleaseNotify", form.toArray(String[]::new));
  }
}
