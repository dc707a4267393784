package io.feedbridge.gateway.web;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.Resolver;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * An attacker has feeds, a hub, 1,000 callbacks, as many addresses to ask from as he likes, and a
 * zone of the DNS in which every name below a victim's is that one's address. Whatever he does, the
 * victim gets few requests, at the default limits. Each way has a victim of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AmplificationTest {

  private static final int MANY = 1_000;
  private static final int AT_ONCE = 16;

  /** More than one host bears; a registration waits seconds for a first fetch that is put off. */
  private static final int PAGES = 400;

  /** Of one host that does not confirm, and of all that share an address. */
  private static final int UNASKED_OF_HOST = 250;

  private static final int UNASKED_OF_ADDRESS = 4 * UNASKED_OF_HOST;

  /** Redirects to one address: so many at once, and then one a second. */
  private static final int REDIRECTED = 60;

  private static final Duration HOST_PAUSE = Duration.ofMillis(500);
  private static final String VICTIM = ".victim.test";
  private static final String PAGE = "<html><body>welcome</body></html>";

  /** Each has a victim of its own, at 127.0.0.10 and so on. */
  private static final List<String> WAYS =
      List.of("callback", "named", "hub", "redirect", "second", "notification", "topic", "content");

  private static final int FIRST_VICTIM = 10;

  @TempDir static Path data;
  private final long began = System.nanoTime();
  private final ExecutorService attackers = Executors.newFixedThreadPool(AT_ONCE);
  private final Map<String, FakeOrigin> victims = new HashMap<>();
  private World world;

  @BeforeAll
  void start() {
    for (String way : WAYS) {
      FakeOrigin victim = new FakeOrigin(address(way + VICTIM).getHostAddress());
      // Like any site that has a page for each path.
      victim.answer(way, aResponse().withHeader("Content-Type", "text/html").withBody(PAGE));
      victims.put(way, victim);
    }
    Resolver resolver = host -> CompletableFuture.completedFuture(addresses(host));
    world =
        World.around(
            TestGateway.guarding(
                data,
                new Settings.Guarding(
                    UrlPatterns.ALL,
                    UrlPatterns.ALL,
                    Settings.Guarding.DEFAULT.limits(),
                    TrackerPolicy.OPEN),
                HOST_PAUSE,
                (loop, transport) -> resolver));
  }

  /** Below one victim, each name has an address of its own where nothing listens, and then his. */
  private static List<InetAddress> addresses(String host) {
    if (!host.endsWith(".second" + VICTIM)) {
      return List.of(address(host));
    }
    int number = Integer.parseInt(host.substring(1, host.indexOf('.')));
    return List.of(loopback(1, number), address(host));
  }

  private static InetAddress address(String host) {
    String[] labels = host.split("\\.", -1);
    boolean his = host.endsWith(VICTIM);
    int victim = his ? FIRST_VICTIM + WAYS.indexOf(labels[labels.length - 3]) : 1;
    return loopback(0, victim);
  }

  private static InetAddress loopback(int network, int number) {
    try {
      return InetAddress.getByAddress(new byte[] {127, (byte) network, 0, (byte) number});
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterAll
  void stop() {
    attackers.shutdown();
    world.close();
    victims.values().forEach(FakeOrigin::close);
  }

  private FakeOrigin victim(String way) {
    return Objects.requireNonNull(victims.get(way));
  }

  private int got(String way) {
    return victim(way).requests();
  }

  private String victim(String way, Object number) {
    return victim("", way, number);
  }

  private String victim(String below, String way, Object number) {
    return "http://%s%s:%d/%s?%s".formatted(below, way + VICTIM, port(way), way, number);
  }

  private int port(String way) {
    return URI.create(victim(way).url("")).getPort();
  }

  /** An origin's URL under a host of its own. */
  private String own(String path) {
    return world.origin().url(path).replace("127.0.0.1", path + ".attacker.test");
  }

  private int secondsSoFar() {
    return (int) Duration.ofNanos(System.nanoTime() - began).toSeconds() + 1;
  }

  private void attack(int times, IntConsumer attack) {
    CompletableFuture.allOf(
            IntStream.range(0, times)
                .mapToObj(i -> CompletableFuture.runAsync(() -> attack.accept(i), attackers))
                .toArray(CompletableFuture[]::new))
        .join();
  }

  /** From another address each time. */
  private HttpResponse<String> subscribe(int i, String topic, String callback) {
    String caller = "198.18.%d.%d".formatted(i / 250, i % 250);
    return world
        .gateway()
        .formBy(
            caller, "/hub", "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", callback);
  }

  private void awaitNone(String tableAndCondition) {
    World.until(() -> world.gateway().rows().count(tableAndCondition) == 0);
  }

  private void publish(String topic) {
    assertThat(world.gateway().form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .isEqualTo(204);
  }

  @Test
  void callbacks_that_name_the_victim_with_ever_other_queries() {
    String feed = world.origin().rss("callbacks", "", "one");

    attack(MANY, i -> subscribe(i, feed, victim("callback", i)));
    HttpResponse<String> another = subscribe(MANY, feed, victim("callback", MANY));
    awaitNone("verification WHERE attempts = 0 AND topic LIKE '%/callbacks'");

    assertThat(got("callback")).isBetween(1, UNASKED_OF_HOST);
    assertThat(another.statusCode()).isEqualTo(429);
  }

  @Test
  void callbacks_denials_and_handlers_under_a_thousand_names_of_the_victim() {
    String feed = world.origin().rss("names", "", "one");
    String gone = world.origin().fail("names-gone", 404);

    attack(
        MANY,
        i -> {
          String below = "n" + i + ".";
          if (i % 3 == 0) {
            subscribe(i, feed, victim(below, "named", i));
          } else if (i % 3 == 1) {
            subscribe(i, gone, victim(below, "named", i));
          } else {
            world
                .gateway()
                .formBy(
                    "198.19.%d.%d".formatted(i / 250, i % 250),
                    "/pleaseNotify",
                    "domain",
                    below + "named" + VICTIM,
                    "port",
                    Integer.toString(port("named")),
                    "path",
                    "/named",
                    "protocol",
                    "http-post",
                    "url1",
                    feed);
          }
        });
    awaitNone("verification WHERE attempts = 0 AND topic LIKE '%/names%'");

    assertThat(got("named")).isBetween(1, UNASKED_OF_ADDRESS);
  }

  @Test
  void feeds_that_name_the_victim_as_their_hubs_and_clouds() {
    int feeds = 90;
    attack(
        feeds,
        i -> {
          String hubs =
              IntStream.range(0, 3)
                  .mapToObj(
                      n ->
                          "<atom:link rel=\"hub\" href=\"%s\"/>"
                              .formatted(victim("hub", i + "-" + n)))
                  .reduce("", String::concat);
          String cloud =
              "<cloud domain=\"hub.victim.test\" port=\"%d\" path=\"/hub\" registerProcedure=\"\" protocol=\"http-post\"/>"
                  .formatted(port("hub"));
          world.origin().rss("hubs-" + i, hubs + cloud, "one");
          subscribe(i, own("hubs-" + i), world.subscriber().url("hubs-" + i));
        });
    awaitNone("feed WHERE topic LIKE '%/hubs-%' AND (tried = 0 OR revision > chosen_revision)");
    awaitNone("following WHERE state = 'REQUESTING'");

    assertThat(got("hub")).isBetween(1, UNASKED_OF_HOST);
  }

  @Test
  void feeds_that_redirect_to_the_victim_and_are_pinged() {
    redirect("moving-", i -> victim("redirect", i));

    assertThat(got("redirect")).isBetween(1, REDIRECTED + secondsSoFar());
  }

  @Test
  void feeds_that_redirect_to_names_whose_second_address_is_the_victims() {
    redirect("second-", i -> victim("n" + i + ".", "second", i));

    assertThat(got("second")).isBetween(1, REDIRECTED + secondsSoFar());
  }

  /** Has feeds followed, then lets each redirect to a URL and be pinged. */
  private void redirect(String name, IntFunction<String> target) {
    int feeds = 120;
    attack(
        feeds,
        i -> {
          world.origin().rss(name + i, "", "one");
          subscribe(i, own(name + i), world.subscriber().url(name + i));
        });
    awaitNone("feed WHERE topic LIKE '%/" + name + "%' AND tried = 0");

    attack(
        feeds,
        i -> {
          world.origin().redirect(name + i, 302, target.apply(i));
          publish(own(name + i));
        });
    awaitNone("work WHERE feed_id IN (SELECT id FROM feed WHERE topic LIKE '%/" + name + "%')");
  }

  @Test
  void handlers_that_confirm_and_then_redirect_their_notifications_to_the_victim() {
    String feed = world.origin().rss("notifying", "", "one");
    int handlers = 120;
    attack(
        handlers,
        i -> {
          world.register(feed, "handler-" + i);
          world
              .subscriber()
              .answer(
                  "handler-" + i,
                  any ->
                      CompletableFuture.completedFuture(
                          Response.empty(307).withHeader("Location", victim("notification", i))));
        });

    world.origin().rss("notifying", "", "two", "one");
    publish(feed);
    World.until(
        () ->
            IntStream.range(0, handlers)
                .noneMatch(i -> world.subscriber().received("handler-" + i).isEmpty()));

    assertThat(got("notification")).isBetween(1, REDIRECTED + secondsSoFar());
  }

  /** By each way in which a stranger can have a page fetched for the first time. */
  @Test
  void topics_that_name_pages_of_the_victim() {
    List<HttpResponse<String>> refused = new CopyOnWriteArrayList<>();
    attack(
        PAGES,
        i -> {
          HttpResponse<String> answer = haveFetched(i);
          if (answer.statusCode() == 429) {
            refused.add(answer);
          }
        });
    awaitNone(
        "feed WHERE topic LIKE '%/topic?%' AND followed = 1 AND tried = 0"
            + " AND id NOT IN (SELECT feed_id FROM held_back)");

    // The budget grows by one in 14 seconds. What is no feed is polled after five minutes at the
    // soonest.
    assertThat(got("topic")).isBetween(1, UNASKED_OF_HOST + secondsSoFar() / 14 + 1);
    assertThat(refused)
        .isNotEmpty()
        .allSatisfy(
            answer -> {
              assertThat(answer.body()).contains("first fetches").contains("--limit-unasked");
              assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            });
    assertThat(world.gateway().get("/api/v1/callers").body()).contains("\"first_fetches\"");
  }

  private HttpResponse<String> haveFetched(int i) {
    String topic = victim("topic", i);
    // A reader waits longest for a first fetch that is put off, and so comes first.
    if (i < PAGES / 3) {
      return world.gateway().get("/feed.atom?" + Http.encode("url", topic));
    }
    if (i < 2 * PAGES / 3) {
      String caller = "198.18.%d.%d".formatted(i / 250, i % 250);
      return world
          .gateway()
          .formBy(
              caller,
              "/pleaseNotify",
              "domain",
              "127.0.0.1",
              "port",
              world.subscriber().url("").replaceFirst(".*:(\\d+)/", "$1"),
              "path",
              "/topic-" + i,
              "protocol",
              "http-post",
              "url1",
              topic);
    }
    return subscribe(i, topic, world.subscriber().url("topic-" + i));
  }

  @Test
  void entries_full_of_images_links_and_enclosures_of_the_victim() {
    String url = victim("content", "x").replace("?x", "");
    String document =
        """
        <?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="%1$s"?>
        <!DOCTYPE rss [<!ENTITY e SYSTEM "%1$s">]>
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
          xmlns:media="http://search.yahoo.com/mrss/" xmlns:xi="http://www.w3.org/2001/XInclude">
        <channel xml:base="%1$s"><title>t</title><link>%1$s</link><description>d</description>
        <atom:link rel="alternate" href="%1$s"/><atom:link rel="next" href="%1$s"/>
        <atom:link rel="preload" href="%1$s"/><docs>%1$s</docs>
        <image><url>%1$s</url><title>t</title><link>%1$s</link></image>
        <textInput><title>t</title><description>d</description><name>n</name><link>%1$s</link></textInput>
        <item><guid>%1$s</guid><title>t</title><link>%1$s</link><comments>%1$s</comments>
        <enclosure url="%1$s" length="1" type="audio/mpeg"/><source url="%1$s">s</source>
        <media:content url="%1$s"/><media:thumbnail url="%1$s"/><xi:include href="%1$s"/>
        <description>&lt;img src="%1$s"&gt;&lt;script src="%1$s"&gt;&lt;/script&gt;&lt;iframe
        src="%1$s"&gt;</description></item></channel></rss>
        """
            .formatted(url)
            .strip();
    String feed = world.origin().serve("content", "application/rss+xml", document);

    world.subscribe(feed, "of-content");
    world
        .origin()
        .serve("content", "application/rss+xml", document.replace("<guid>", "<guid>another"));
    publish(feed);
    World.until(() -> !world.subscriber().received("of-content").isEmpty());

    assertThat(got("content")).isZero();
  }

  @Test
  void pings_from_one_caller_end_in_refusals() {
    String feed = world.origin().rss("pinged", "", "one");
    world.subscribe(feed, "of-pinged");
    AtomicInteger refused = new AtomicInteger();

    attack(
        200,
        i -> {
          String form = Http.encode("url", feed);
          HttpResponse<String> answer =
              world
                  .gateway()
                  .post(
                      "/ping",
                      "application/x-www-form-urlencoded",
                      form.getBytes(StandardCharsets.UTF_8),
                      "X-Forwarded-For",
                      "198.51.100.9");
          refused.addAndGet(answer.statusCode() == 429 ? 1 : 0);
        });

    // 60 at once, and some more in the time that this takes.
    assertThat(refused.get()).isGreaterThan(200 - 60 - 2 * secondsSoFar());
  }

  @Test
  void notifications_at_the_common_procedure_are_limited_as_pings_are() {
    String feed = world.origin().rss("notified", "", "one");
    String call =
        "<methodCall><methodName>rssCloud.notify</methodName><params><param><value>%s</value></param>"
                .formatted(feed)
            + "</params></methodCall>";
    AtomicInteger refused = new AtomicInteger();

    attack(
        200,
        i -> {
          HttpResponse<String> answer =
              world
                  .gateway()
                  .post(
                      "/RPC2",
                      "text/xml",
                      call.getBytes(StandardCharsets.UTF_8),
                      "X-Forwarded-For",
                      "198.51.100.10");
          refused.addAndGet(answer.body().contains("too many pings") ? 1 : 0);
        });

    assertThat(refused.get()).isGreaterThan(200 - 60 - 2 * secondsSoFar());
  }
}
