package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StreamClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes, each the jar in a process of its own, on one database. */
class NodesIT {

  private static final Duration LONG = Duration.ofMinutes(2);

  private final TestServer server = TestServer.durable();
  private final String database = server.empty();
  private final String store = "--store=" + database;
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final Http http = new Http();
  @TempDir Path folder;
  private GatewayProcess first;
  private GatewayProcess second;

  @BeforeEach
  void start() {
    first = launch("first");
    first.awaitReady();
    second = launch("second");
    await().atMost(LONG).until(() -> isStandby(second));
  }

  private GatewayProcess launch(String name) {
    // One key for both, as in production.
    return GatewayProcess.launch(
        folder.resolve(name),
        FreePort.next(),
        store,
        "--node=" + name,
        "--key-file=" + folder.resolve("key"),
        "--poll-min=12h",
        "--poll-max=24h");
  }

  @AfterEach
  void end() {
    first.close();
    second.close();
    subscriber.close();
    origin.close();
    server.close();
  }

  private boolean isStandby(GatewayProcess node) {
    try {
      HttpResponse<String> health = http.get(node.url("/health"));
      return health.statusCode() == 200 && health.body().contains("\"standby\"");
    } catch (CompletionException notListening) {
      return false;
    }
  }

  private static int ping(GatewayProcess node, String topic) {
    return node.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode();
  }

  private void subscribe(GatewayProcess node, String topic) {
    node.form(
        "/hub", "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", subscriber.url("s"));
    await().atMost(LONG).until(() -> first.meter("feedbridge_subscriptions_websub") == 1);
  }

  private long times(String entry) {
    return subscriber.bodies("s").stream().filter(body -> body.contains(">" + entry + "<")).count();
  }

  private void awaitReady(GatewayProcess node) {
    await().atMost(LONG).until(node::healthy);
  }

  /** Waits until a node owns the store and serves. */
  private void awaitOwner(GatewayProcess node) {
    await().atMost(LONG).until(() -> !isStandby(node) && node.healthy());
  }

  @Test
  void a_standby_says_which_node_is_active_and_passes_requests_to_it() {
    HttpResponse<String> health = http.get(second.url("/health"));
    assertThat(health.body()).contains("\"node\":\"second\"", "\"active\":\"first\"");
    awaitReady(second);
    String topic = origin.rss("feed.xml", "", "old");
    subscribe(second, topic);
    origin.rss("feed.xml", "", "one", "old");

    assertThat(ping(second, topic)).isEqualTo(204);

    await().atMost(LONG).until(() -> times("one") > 0);
    assertThat(second.get("/api/v1/subscriptions").body())
        .isEqualTo(first.get("/api/v1/subscriptions").body())
        .contains(topic);
    assertThat(second.get("/nothing/here").statusCode()).isEqualTo(404);
    assertThat(second.get("/api/v1/cluster").body())
        .contains("\"node\":\"first\"", "\"state\":\"live\"", "\"partitions\":64")
        .contains("\"node\":\"second\"", "\"state\":\"standby\"");
    assertThat(second.terminate().code()).isZero();
    assertThat(first.healthy()).isTrue();
  }

  @Test
  void L1_a_ping_at_a_standby_is_kept_while_no_node_owns_the_store() {
    String topic = origin.rss("feed.xml", "", "old");
    subscribe(first, topic);
    origin.rss("feed.xml", "", "one", "old");
    awaitServing(second);
    first.kill9();

    assertThat(ping(second, topic)).isEqualTo(204);

    assertThat(isStandby(second)).isTrue();
    await().atMost(LONG).until(() -> times("one") > 0);
  }

  @Test
  void a_stream_that_resumes_at_another_node_has_each_event_once() {
    String topic = origin.rss("feed.xml", "", "old");
    subscribe(first, topic);
    awaitServing(second);
    List<String> ids = new ArrayList<>();
    try (StreamClient reader = StreamClient.get(second.url("/stream"))) {
      for (int i = 1; i <= 3; i++) {
        origin.rss("feed.xml", "", "entry" + i, "old");
        assertThat(ping(second, topic)).isEqualTo(204);
        int count = i;
        await().atMost(LONG).until(() -> reader.fields("id").size() == count);
      }
      ids.addAll(reader.fields("id"));
      second.kill9();
    }
    origin.rss("feed.xml", "", "entry4", "old");
    assertThat(ping(first, topic)).isEqualTo(204);

    try (StreamClient reader =
        StreamClient.get(first.url("/stream"), "Last-Event-ID", ids.get(ids.size() - 1))) {
      await().atMost(LONG).until(() -> !reader.fields("id").isEmpty());
      ids.addAll(reader.fields("id"));
      assertThat(String.join("", reader.fields("data")))
          .contains("entry4")
          .doesNotContain("entry3");
    }
    assertThat(ids).hasSize(4).doesNotHaveDuplicates();
  }

  @Test
  void a_removal_that_a_standby_answered_stays_through_a_takeover() {
    String topic = origin.rss("feed.xml", "", "old");
    awaitServing(second);
    assertThat(verified("subscribe", topic)).isEqualTo(204);
    assertThat(first.get("/api/v1/subscriptions").body()).contains(topic);

    assertThat(verified("unsubscribe", topic)).isEqualTo(204);

    first.kill9();
    awaitOwner(second);
    assertThat(second.get("/api/v1/subscriptions").body()).doesNotContain(topic);
  }

  /** A request to the standby whose callback is asked before the answer. */
  private int verified(String mode, String topic) {
    return second
        .form(
            "/hub",
            "hub.mode",
            mode,
            "hub.topic",
            topic,
            "hub.callback",
            subscriber.url("s"),
            "hub.verify",
            "sync")
        .statusCode();
  }

  private void awaitServing(GatewayProcess node) {
    await()
        .atMost(LONG)
        .until(() -> http.get(node.url("/health")).body().contains("\"serving\":true"));
  }

  @Test
  void L15_a_standby_takes_over_from_a_killed_node_and_its_acknowledged_pings_are_delivered() {
    String topic = origin.rss("feed.xml", "", "old");
    subscribe(first, topic);
    subscriber.answer("s", 500);
    origin.rss("feed.xml", "", "one", "old");
    assertThat(ping(first, topic)).isEqualTo(204);
    first.kill9();
    long since = System.nanoTime();

    awaitOwner(second);

    System.out.printf("takeover after kill -9: %d ms%n", (System.nanoTime() - since) / 1_000_000);
    assertThat(second.get("/api/v1/cluster").body())
        .contains("\"cause\":\"the lease of first had expired\"")
        .contains("\"address\":\"" + second.url("") + "\"");
    subscriber.answer("s", 200);
    await().atMost(LONG).until(() -> times("one") > 0);
    origin.rss("feed.xml", "", "two", "one", "old");
    assertThat(ping(second, topic)).isEqualTo(204);
    await().atMost(LONG).until(() -> times("two") > 0);
  }

  @Test
  void L15_an_owner_whose_store_fails_for_good_ends_and_a_standby_takes_over() throws Exception {
    String topic = origin.rss("feed.xml", "", "old");
    subscribe(first, topic);
    try (Connection beside = DriverManager.getConnection(database);
        Statement made = beside.createStatement()) {
      made.execute(
          """
          CREATE FUNCTION damage() RETURNS TRIGGER LANGUAGE plpgsql AS $$
          BEGIN
            IF current_setting('application_name') LIKE 'fb:first:%' THEN
              RAISE SQLSTATE 'XX001' USING MESSAGE = 'invalid page in block 7';
            END IF;
            RETURN NEW;
          END $$
          """);
      made.execute(
          "CREATE TRIGGER damage BEFORE INSERT ON work FOR EACH ROW EXECUTE FUNCTION damage()");
    }
    origin.rss("feed.xml", "", "one", "old");

    assertThat(ping(first, topic)).isEqualTo(503);

    GatewayProcess.Exit end = first.exit();
    assertThat(end.code()).isEqualTo(1);
    assertThat(end.errors()).contains("invalid page in block 7", "has to be started again");
    awaitOwner(second);
    assertThat(ping(second, topic)).isEqualTo(204);
    await().atMost(LONG).until(() -> times("one") > 0);
  }

  @Test
  void L15_a_node_that_slept_past_its_lease_delivers_nothing_and_is_a_standby() {
    String topic = origin.rss("feed.xml", "", "old");
    subscribe(first, topic);
    first.suspend();
    awaitOwner(second);
    origin.rss("feed.xml", "", "one", "old");
    assertThat(ping(second, topic)).isEqualTo(204);
    await().atMost(LONG).until(() -> times("one") > 0);

    first.resume();

    await().atMost(LONG).until(() -> isStandby(first));
    assertThat(times("one")).isEqualTo(1);
    assertThat(second.healthy()).isTrue();

    assertThat(second.terminate().code()).isZero();
    awaitOwner(first);
    origin.rss("feed.xml", "", "two", "one", "old");
    assertThat(ping(first, topic)).isEqualTo(204);
    await().atMost(LONG).until(() -> times("two") > 0);
    assertThat(first.terminate().code()).isZero();
  }
}
