package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.StoredRows;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A standby takes over a database with a million subscriptions of 100,000 feeds. Not part of a
 * usual build: {@code mvn -Drun=TakeoverLoad verify}.
 */
@Tag("alone")
class TakeoverLoad {

  private static final int FEEDS = Integer.getInteger("takeover.feeds", 100_000);
  private static final int SUBSCRIBERS = 10;
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final Duration LOOK = Duration.ofMillis(20);

  private static final String FILL =
      """
      INSERT INTO feed SELECT r.* FROM feed f, generate_series(1, %d) n,
        LATERAL jsonb_populate_record(f, jsonb_build_object('id', f.id + n, 'rounded', f.head,
          'topic', 'http://127.1.' || n %% 250 || '.1:9/' || n, 'url', 'http://127.1.' || n %% 250 || '.1:9/' || n)) r;
      SELECT setval(pg_get_serial_sequence('feed', 'id'), (SELECT max(id) FROM feed));
      INSERT INTO subscription (feed_id, protocol, callback, terms, raw, start, lease_ends_at,
          errors, created_at, readers)
        SELECT f.id, s.protocol, 'http://127.0.' || f.id %% 250 || '.1:9/' || f.id || '/' || n,
          replace(s.terms, first.topic, f.topic), s.raw, s.start, s.lease_ends_at, s.errors,
          s.created_at, s.readers
        FROM subscription s JOIN feed first ON first.id = s.feed_id
        JOIN feed f ON f.id <> first.id CROSS JOIN generate_series(1, %d) n
      """
          .formatted(FEEDS, SUBSCRIBERS);

  private final String database;
  private final TestServer server = TestServer.durable();
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final String topic = origin.rss("feed.xml", "", "0");
  @TempDir Path folder;

  TakeoverLoad() {
    database = server.empty();
  }

  private GatewayProcess launch(String name) {
    return GatewayProcess.launchWith(
        List.of("-Xmx512m", "-XX:TieredStopAtLevel=4"),
        folder.resolve(name),
        FreePort.next(),
        "--store=" + database,
        "--node=" + name,
        "--key-file=" + folder.resolve("key"),
        "--poll-min=12h",
        "--poll-max=24h");
  }

  private static void print(String what, long since) {
    System.out.printf("[takeover] %s: %d ms%n", what, (System.nanoTime() - since) / 1_000_000);
  }

  @Test
  void a_takeover_takes_no_longer_with_a_million_subscriptions() {
    try (server;
        origin;
        subscriber) {
      takeOver("empty store, kill -9", GatewayProcess::kill9, 1);
      long since = System.nanoTime();
      StoredRows.changeAt(database, FILL);
      print("%,d feeds and their subscriptions made".formatted(FEEDS), since);
      StoredRows.changeAt(database, "VACUUM ANALYZE");
      since = System.nanoTime();
      try (GatewayProcess alone = launch("first")) {
        alone.awaitReady();
        print("first start", since);
      }
      takeOver("full store, kill -9", GatewayProcess::kill9, 2);
      takeOver("full store, kill -9", GatewayProcess::kill9, 3);
      takeOver("full store, SIGTERM", GatewayProcess::signal, 4);
    }
  }

  private void takeOver(String how, Consumer<GatewayProcess> end, int entry) {
    try (GatewayProcess first = launch("first")) {
      first.awaitReady();
      if (entry == 1) {
        first.form(
            "/hub",
            "hub.mode",
            "subscribe",
            "hub.topic",
            topic,
            "hub.callback",
            subscriber.url("s"));
        await().atMost(LONG).until(() -> first.meter("feedbridge_subscriptions_websub") == 1);
      }
      try (GatewayProcess second = launch("second")) {
        await().atMost(LONG).until(() -> isStandby(second));
        long since = System.nanoTime();
        end.accept(first);
        await().pollInterval(LOOK).atMost(LONG).until(second::healthy);
        print(how + ", ready", since);
        origin.rss("feed.xml", "", "e" + entry, "0");
        assertThat(second.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
            .isEqualTo(204);
        print(how + ", ping answered", since);
        await()
            .pollInterval(LOOK)
            .atMost(LONG)
            .until(
                () ->
                    subscriber.bodies("s").stream().anyMatch(b -> b.contains(">e" + entry + "<")));
        print(how + ", delivered", since);
      }
    }
  }

  private static boolean isStandby(GatewayProcess node) {
    try {
      return node.get("/health").body().contains("\"standby\"");
    } catch (CompletionException notListening) {
      return false;
    }
  }
}
