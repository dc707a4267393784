package io.feedbridge.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.LocalServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One caller takes all that it can get of one kind of place: requests to an origin that never
 * answers, room for bodies, wrong tokens, trackers. Other callers, each with an address as a
 * trusted proxy names it, have their share: none is refused, and none waits much longer.
 */
@Timeout(400)
class SharesAttack {

  private static final String ATTACKER = "192.0.2.1";
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Requests of others that are measured; the slowest counts. */
  private static final int OTHERS = 5;

  private final CompletableFuture<Void> never = new CompletableFuture<>();
  private final FakeOrigin slow = new FakeOrigin("127.0.0.2");
  private final FakeOrigin origin = new FakeOrigin();
  private final Http http = new Http();
  private final AtomicInteger callers = new AtomicInteger();
  @TempDir Path data;
  private GatewayProcess gateway;

  @BeforeEach
  void start() {
    gateway = started();
  }

  @AfterEach
  void stop() {
    never.complete(null);
    gateway.close();
    slow.close();
    origin.close();
  }

  private GatewayProcess started(String... more) {
    return GatewayProcess.start(
        data,
        FreePort.next(),
        Stream.concat(
                Stream.of(
                    "--trust-proxy=127.0.0.0/8",
                    "--bridge=open",
                    // The shares are tried without the limits in an hour.
                    "--limit-unasked=100000/h",
                    "--limit-feeds=100000/d",
                    "--poll-min=12h",
                    "--poll-max=24h"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  /** The address of a caller that was never heard of. */
  private String other() {
    int number = callers.incrementAndGet();
    return "198.51." + (100 + number / 200) + "." + (1 + number % 200);
  }

  private CompletableFuture<HttpResponse<String>> get(String caller, String path) {
    return http.getAsync(gateway.url(path), "X-Forwarded-For", caller);
  }

  private CompletableFuture<HttpResponse<String>> form(
      String caller, String path, String... namesAndValues) {
    return http.post(
        gateway.url(path),
        "application/x-www-form-urlencoded",
        Http.encode(namesAndValues).getBytes(StandardCharsets.UTF_8),
        "X-Forwarded-For",
        caller);
  }

  /** The URL of a slow origin, which answers nothing. */
  private String hanging(String path) {
    String url = slow.rss(path, "", "one");
    slow.holdBack(path, never);
    return url;
  }

  /** The slowest of some requests of others. */
  private Duration slowest(IntFunction<Runnable> request) {
    return IntStream.range(0, OTHERS)
        .mapToObj(
            i -> {
              Runnable one = request.apply(callers.incrementAndGet());
              long begin = System.nanoTime();
              one.run();
              return Duration.ofNanos(System.nanoTime() - begin);
            })
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }

  private void compare(String name, IntFunction<Runnable> request, Runnable attack) {
    // The first requests after a start are slow.
    slowest(request);
    Duration before = slowest(request);
    attack.run();
    Duration during = slowest(request);
    System.out.printf("%s: %s before, %s during%n", name, before, during);
    Bystander.assertHardlySlower(during, before);
  }

  private static void assertAnswered(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
  }

  // Checks of a feed.

  private String check(String caller, String url) {
    HttpResponse<String> answer = form(caller, "/check", "url", url).join();
    assertAnswered(answer, 202);
    return URI.create(answer.headers().firstValue("Location").orElseThrow()).getPath();
  }

  @Test
  void slow_checks_of_one_caller() {
    compare(
        "first finding of a check",
        i -> {
          String feed = origin.rss("checked-" + i, "", "one");
          return () -> {
            String caller = other();
            String path = check(caller, feed);
            await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> get(caller, path).join().body().contains("\"findings\":[{"));
          };
        },
        () -> {
          for (int i = 0; i < 40; i++) {
            var unused = form(ATTACKER, "/check", "url", hanging("slow-" + i));
          }
          awaitQuiet();
        });
  }

  // Lists on the web.

  @Test
  void slow_lists_of_one_caller() {
    byte[] list = Opml.write("x", List.of(new Outline("http://feed.example/", "One")));
    compare(
        "a list",
        i -> {
          String url = origin.serve("list-" + i, "text/x-opml", list);
          return () -> assertAnswered(get(other(), "/opml?" + Http.encode("url", url)).join(), 200);
        },
        () -> hangs("/opml", 60));
  }

  /** Requests of the attacker for slow documents, once each waits or is refused. */
  private void hangs(String path, int count) {
    List<CompletableFuture<HttpResponse<String>>> answers =
        IntStream.range(0, count)
            .mapToObj(i -> hanging("slow-" + i))
            .map(url -> get(ATTACKER, path + "?" + Http.encode("url", url)))
            .toList();
    await().atMost(PATIENCE).until(() -> answers.stream().anyMatch(CompletableFuture::isDone));
    awaitQuiet();
  }

  /** Waits until the slow origin has got requests, and none for a while. */
  private void awaitQuiet() {
    AtomicInteger seen = new AtomicInteger();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> slow.requests() > 0 && seen.getAndSet(slow.requests()) == slow.requests());
  }

  // Bridged feeds that were never read before.

  @Test
  void slow_first_reads_of_bridged_feeds_by_one_caller() {
    compare(
        "first read of a bridged feed",
        i -> {
          String url = origin.rss("bridged-" + i, "", "one");
          return () ->
              assertAnswered(get(other(), "/feed.atom?" + Http.encode("url", url)).join(), 200);
        },
        () -> hangs("/feed.atom", 270));
  }

  // Compressed bodies.

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
  void large_compressed_bodies_of_one_caller() {
    compare(
        "a small compressed body",
        i -> {
          String feed = origin.rss("packed-" + i, "", "one");
          return () ->
              assertThat(register(other(), feed, 20_000).join())
                  .satisfies(answer -> assertThat(answer.statusCode()).isNotEqualTo(503));
        },
        () -> {
          for (int i = 0; i < 40; i++) {
            var unused = register(ATTACKER, hanging("held-" + i), 1_048_000);
          }
          awaitQuiet();
        });
  }

  // Sign-in.

  @Test
  void wrong_tokens_from_ten_addresses_and_then_the_right_one() {
    gateway.close();
    gateway = started("--admin-token=" + TOKEN);
    for (int i = 0; i < 100; i++) {
      form("192.0.2." + (1 + i % 10), "/sign-in", "token", "wrong" + i, "next", "/").join();
    }

    assertAnswered(form(other(), "/sign-in", "token", TOKEN, "next", "/").join(), 303);
    gateway.close();
    gateway = started("--admin-token=" + TOKEN);
    assertAnswered(form(other(), "/sign-in", "token", TOKEN, "next", "/").join(), 303);
  }

  // Clouds.

  @Test
  void clouds_of_one_host_that_never_answer() {
    try (FakeHub hub = new FakeHub()) {
      String element = "<atom:link rel=\"hub\" href=\"" + hub.url() + "\"/>";
      compare(
          "the request to the hub of a new feed",
          i -> {
            String url = origin.rss("hubbed-" + i, element, "one");
            return () -> {
              int before = hub.requests().size();
              assertAnswered(get(other(), "/feed.atom?" + Http.encode("url", url)).join(), 200);
              await()
                  .atMost(Duration.ofMinutes(3))
                  .pollInterval(Duration.ofMillis(10))
                  .until(() -> hub.requests().size() > before);
            };
          },
          () -> {
            for (int i = 0; i < 120; i++) {
              String url = origin.rss("clouded-" + i, cloud("cloud-" + i), "one");
              assertAnswered(get(ATTACKER, "/feed.atom?" + Http.encode("url", url)).join(), 200);
            }
            awaitQuiet();
          });
    }
  }

  private String cloud(String path) {
    int port = URI.create(hanging(path)).getPort();
    return ("<cloud domain=\"127.0.0.2\" port=\"%d\" path=\"/%s\""
            + " registerProcedure=\"\" protocol=\"http-post\"/>")
        .formatted(port, path);
  }

  // Bytes of a third party.

  @Test
  void pings_of_one_caller_for_forty_large_files_of_one_host() {
    int size = 5 << 20;
    try (FakeSubscriber subscriber = new FakeSubscriber()) {
      for (int i = 0; i < 40; i++) {
        String file = slow.serve("file-" + i, "text/plain", "x");
        subscribe(file, subscriber.url("file-" + i));
      }
      await().atMost(PATIENCE).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 40);
      int first = slow.requests();
      byte[] large = new byte[size];
      Arrays.fill(large, (byte) 'x');
      List<String> files =
          IntStream.range(0, 40)
              .mapToObj(i -> slow.serve("file-" + i, "text/plain", large))
              .toList();

      files.forEach(file -> assertAnswered(publish(ATTACKER, file), 204));
      awaitQuiet();

      long sent = ((long) slow.requests() - first) * (size >> 20);
      System.out.printf("pings of 40 files: %d MiB sent%n", sent);
      assertThat(sent).isLessThanOrEqualTo(512 / 10);
      int number =
          IntStream.range(0, 40)
              .filter(i -> slow.requests("file-" + i).size() == 1)
              .findFirst()
              .orElseThrow();
      assertAnswered(publish(other(), files.get(number)), 204);
      await().atMost(PATIENCE).until(() -> slow.requests("file-" + number).size() == 2);
    }
  }

  private HttpResponse<String> publish(String caller, String topic) {
    return form(caller, "/hub", "hub.mode", "publish", "hub.url", topic).join();
  }

  // Trackers.

  @Test
  void one_hundred_and_fifty_trackers_of_one_caller_that_match_all() throws IOException {
    AtomicInteger deliveries = new AtomicInteger();
    try (LocalServer callbacks =
            new LocalServer(
                request -> {
                  deliveries.addAndGet(request.method().equals("POST") ? 1 : 0);
                  return FakeSubscriber.confirm(request);
                });
        Bystander bystander = new Bystander(gateway)) {
      String feed = origin.rss("flood.xml", "", "one");
      Bystander.subscribe(gateway, feed, callbacks.url() + "/flood");
      for (int i = 0; i < 150; i++) {
        String topic = gateway.url("/track?query=flood+-none" + i);
        subscribe(topic, callbacks.url() + "/track-" + i);
      }
      await().atMost(PATIENCE).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 152);
      Duration before = bystander.slowest();
      long stored = stored();

      origin.rss(
          "flood.xml",
          Bystander.longItems("flood", 100, 11_000).replace("<desc", "<title>flood</title><desc"));
      assertAnswered(form(ATTACKER, "/hub", "hub.mode", "publish", "hub.url", feed).join(), 204);
      Duration during = bystander.slowest();
      await().atMost(Duration.ofMinutes(3)).until(() -> deliveries.get() > 150);
      long grown = (stored() - stored) >> 20;

      System.out.printf(
          "trackers: delivery %s before, %s during; the store grew by %d MiB%n",
          before, during, grown);
      Bystander.assertHardlySlower(during, before);
      assertThat(grown).isLessThan(40);
    }
  }

  private void subscribe(String topic, String callback) {
    HttpResponse<String> answer =
        form(
                ATTACKER,
                "/hub",
                "hub.mode",
                "subscribe",
                "hub.topic",
                topic,
                "hub.callback",
                callback)
            .join();
    assertAnswered(answer, 202);
  }

  private long stored() throws IOException {
    try (Stream<Path> files = Files.list(data)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("feedbridge.db"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }
}
