package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.process.Crowd.Delivery;
import io.feedbridge.gateway.process.Crowd.Kind;
import io.feedbridge.gateway.process.Crowd.Member;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.GatewayProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Killed at any moment between the 2xx to a ping and the last delivery, then started again on the
 * same data, the gateway brings the entry to every subscriber (rules L1, L4, L16).
 *
 * <p>The subscriptions are made once; each case runs on a copy of that data folder.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KillIT {

  private static final int SUBSCRIBERS = 1_200;
  private static final int HUB_SUBSCRIBERS = 100;

  /** Connections per host, to the two hosts of the crowd. */
  private static final int IN_FLIGHT = 2 * 32;

  private static final int CHECKPOINT_INTERVAL = 500;

  /** So far apart that no poll can stand in for a ping that was lost. */
  private static final String[] RARE_POLLS = {"--poll-min=12h", "--poll-max=24h"};

  private final int port = GatewayProcess.freePort();
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeHub hub = new FakeHub();
  private final Crowd crowd = new Crowd();
  private final String hubLink = "<atom:link rel=\"hub\" href=\"" + hub.url() + "\"/>";
  private final Deque<String> published = new ArrayDeque<>();
  private int kills;
  private String feed = "";
  private String hubFeed = "";

  private Path folder = Path.of("");
  private Path data = Path.of("");
  private @Nullable GatewayProcess running;

  /** Up to a moment at which the process is to be killed. */
  private interface Moment {
    void reach(KillIT test);
  }

  static Stream<Named<Moment>> moments() {
    return Stream.of(
        Named.of("right after the 2xx to the ping", KillIT::ping),
        Named.of(
            "while the origin holds the fetch back",
            test -> assertThat(test.fetchHeldBack()).isNotDone()),
        Named.of(
            "as the fetch is answered",
            test -> {
              CompletableFuture<Void> gate = test.fetchHeldBack();
              gate.complete(null);
            }),
        Named.of("at the first delivery", test -> test.deliveries(1)),
        Named.of("after 100 deliveries", test -> test.deliveries(100)),
        Named.of("after 600 deliveries", test -> test.deliveries(600)),
        Named.of("after 1,000 deliveries", test -> test.deliveries(1_000)),
        Named.of(
            "after the last healthy delivery, with laggards left",
            test -> {
              test.crowd.letSomeFail();
              test.ping();
              test.awaitEntry(test.healthy(), "entry-1");
            }),
        Named.of(
            "while a laggard's retry is in flight",
            test -> {
              test.crowd.letSomeFail();
              var retried =
                  test.crowd.freezeAt(
                      delivery ->
                          delivery.member().kind() == Kind.FAILING && delivery.attempt() == 2);
              test.ping();
              retried.join();
            }),
        Named.of(
            "after a second ping during the round",
            test -> {
              test.deliveries(300);
              test.publish("entry-2");
              test.ping();
            }),
        Named.of(
            "at the first delivery after a restart",
            test -> {
              test.deliveries(600);
              test.kill();
              var first = test.crowd.freezeAfter(1);
              test.running = GatewayProcess.launch(test.data, test.port, RARE_POLLS);
              first.join();
            }),
        Named.of(
            "as soon as a restart is ready",
            test -> {
              test.deliveries(600);
              test.kill();
              test.start();
            }));
  }

  @BeforeAll
  void subscribe(@TempDir Path shared) {
    folder = shared;
    feed = origin.rss("feed.xml", "", "entry-0");
    hubFeed = origin.rss("hub-feed.xml", hubLink, "entry-0");
    for (int i = 0; i < SUBSCRIBERS; i++) {
      Kind kind = i % 60 == 3 ? Kind.HANGING : i % 400 == 7 ? Kind.FAILING : Kind.HEALTHY;
      crowd.add("a" + i, feed, kind);
    }
    for (int i = 0; i < HUB_SUBSCRIBERS; i++) {
      crowd.add("b" + i, hubFeed, Kind.HEALTHY);
    }
    data = folder.resolve("subscribed");
    start();
    crowd.subscribe(gateway());
    await().until(() -> hub.subscribers(hubFeed) == 1);
    assertThat(gateway().terminate().code()).isZero();
    gateway().close();
  }

  @BeforeEach
  void copyOfTheSubscriptions() throws IOException {
    Path copy = Files.createTempDirectory(folder, "case");
    try (Stream<Path> files = Files.list(folder.resolve("subscribed"))) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    data = copy;
    crowd.reset();
    kills = 0;
    published.clear();
    publish("entry-0");
    start();
  }

  @AfterEach
  void endOfTheProcess() {
    if (running != null) {
      running.close();
    }
  }

  @AfterAll
  void endOfTheWorld() {
    crowd.close();
    hub.close();
    origin.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("moments")
  void L16_killed_at_any_moment_the_entry_reaches_everyone(Moment moment) {
    publish("entry-1");
    moment.reach(this);
    kill();

    start();
    awaitEntry(feed, "entry-1");
    publish("entry-3");
    ping();
    awaitEntry(feed, "entry-3");

    assertSoundDeliveries(feed);
  }

  @Test
  void L1_killed_right_after_the_2xx_to_a_signed_fat_ping_the_entry_reaches_everyone() {
    String document = FakeOrigin.rssOf(hubLink, "entry-1", "entry-0");
    int fetches = origin.requests("hub-feed.xml").size();
    int status = hub.deliver(hubFeed, "application/rss+xml", document).statusCode();
    assertThat(status).isBetween(200, 299);
    kill();

    start();
    awaitEntry(hubFeed, "entry-1");

    assertThat(origin.requests("hub-feed.xml")).hasSize(fetches);
    assertSoundDeliveries(hubFeed);
  }

  private GatewayProcess gateway() {
    return Objects.requireNonNull(running, "no gateway was started");
  }

  private void start() {
    running = GatewayProcess.start(data, port, RARE_POLLS);
  }

  /** The process ends; whoever held an answer back answers what comes afterwards. */
  private void kill() {
    gateway().kill9();
    gateway().close();
    kills++;
    crowd.revive();
  }

  private void publish(String entry) {
    published.addFirst(entry);
    origin.rss("feed.xml", "", published.toArray(String[]::new));
  }

  private void ping() {
    assertThat(gateway().form("/hub", "hub.mode", "publish", "hub.url", feed).statusCode())
        .isBetween(200, 299);
  }

  /** Pings and waits for the fetch, which is answered only through the gate. */
  private CompletableFuture<Void> fetchHeldBack() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    origin.holdBack("feed.xml", gate);
    int before = origin.requests("feed.xml").size();
    ping();
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> origin.requests("feed.xml").size() > before);
    origin.holdBack("feed.xml", CompletableFuture.completedFuture(null));
    return gate;
  }

  /** Pings, and lets so many deliveries arrive; the last and all after it stay unanswered. */
  private void deliveries(int number) {
    CompletableFuture<Void> arrived = crowd.freezeAfter(number);
    ping();
    arrived.join();
  }

  private Set<Member> healthy() {
    return crowd.of(feed).stream()
        .filter(member -> member.kind() == Kind.HEALTHY)
        .collect(Collectors.toSet());
  }

  private void awaitEntry(String topic, String entry) {
    awaitEntry(new HashSet<>(crowd.of(topic)), entry);
  }

  private void awaitEntry(Set<Member> members, String entry) {
    await()
        .atMost(Duration.ofSeconds(25))
        .untilAsserted(
            () ->
                assertThat(members)
                    .as("who has " + entry)
                    .isSubsetOf(
                        crowd.deliveries().stream()
                            .filter(delivery -> delivery.answer() == 204)
                            .filter(delivery -> delivery.entries().contains(entry))
                            .map(Delivery::member)
                            .collect(Collectors.toSet())));
  }

  /** Signed rightly, in order, each entry under one id, and few of them twice. */
  private void assertSoundDeliveries(String topic) {
    Map<Member, List<Delivery>> byMember =
        crowd.deliveries().stream().collect(Collectors.groupingBy(Delivery::member));
    int doubled = 0;
    for (Member member : crowd.of(topic)) {
      List<Delivery> deliveries = byMember.getOrDefault(member, List.of());
      assertThat(deliveries).allMatch(Delivery::signed);
      assertThat(deliveries).extracting(Delivery::event).isSorted();
      Map<String, Long> ids = new HashMap<>();
      Set<Long> had = new HashSet<>();
      for (Delivery delivery : deliveries) {
        for (String entry : delivery.entries()) {
          Long known = ids.putIfAbsent(entry, delivery.event());
          assertThat(known == null ? delivery.event() : known).isEqualTo(delivery.event());
        }
        if (had.contains(delivery.event())) {
          doubled++;
        }
        if (delivery.answer() != 500) {
          had.add(delivery.event());
        }
      }
    }
    assertThat(doubled)
        .as("deliveries that were doubled")
        .isLessThanOrEqualTo(kills * (IN_FLIGHT + CHECKPOINT_INTERVAL));
  }
}
