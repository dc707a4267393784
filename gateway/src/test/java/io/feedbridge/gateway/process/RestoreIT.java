package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.GatewayProcess.Exit;
import io.feedbridge.websub.Signature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup of a busy gateway, restored elsewhere, has all that was acknowledged before it. */
class RestoreIT {

  private static final String KEY = "feedbridge-secrets.key";
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String SECRET = "the subscriber's own secret";
  private static final int TOPICS = 20;

  /** No poll may stand in for a ping. */
  private static final String[] RARE_POLLS = {"--poll-min=12h", "--poll-max=24h"};

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path folder;

  @AfterEach
  void end() {
    subscriber.close();
    origin.close();
  }

  private static String name(int topic) {
    return "feed" + topic + ".xml";
  }

  private void publish(int topic, String... items) {
    origin.rss(name(topic), "", items);
  }

  private static int ping(GatewayProcess gateway, String topic) {
    return gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode();
  }

  private List<String> subscribed(GatewayProcess gateway) {
    List<String> topics = new ArrayList<>();
    for (int i = 0; i < TOPICS; i++) {
      String topic = origin.rss(name(i), "", "old");
      topics.add(topic);
      String callback = subscriber.url("s" + i);
      gateway.form(
          "/hub",
          "hub.mode",
          "subscribe",
          "hub.topic",
          topic,
          "hub.callback",
          callback,
          "hub.secret",
          SECRET);
    }
    await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == TOPICS);
    return topics;
  }

  private boolean has(String path, String entry) {
    return subscriber.bodies(path).stream().anyMatch(body -> body.contains(">" + entry + "<"));
  }

  @Test
  void what_was_acknowledged_before_the_backup_began_is_there_and_delivered() throws Exception {
    Path data = folder.resolve("data");
    Path backup = folder.resolve("backup.db");
    List<CompletableFuture<Void>> gates = new ArrayList<>();
    try (GatewayProcess gateway = GatewayProcess.start(data, FreePort.next(), RARE_POLLS)) {
      List<String> topics = subscribed(gateway);
      // Half of the news is acknowledged and not fetched; nothing of it is delivered.
      for (int i = 0; i < TOPICS; i++) {
        subscriber.answer("s" + i, 500);
        publish(i, "news", "old");
        CompletableFuture<Void> gate = new CompletableFuture<>();
        gates.add(gate);
        if (i % 2 == 0) {
          origin.holdBack(name(i), gate);
        }
        assertThat(ping(gateway, topics.get(i))).isEqualTo(204);
      }
      // Load goes on while the backup is made.
      AtomicBoolean enough = new AtomicBoolean();
      CompletableFuture<Integer> load =
          CompletableFuture.supplyAsync(
              () -> {
                int acknowledged = 0;
                while (!enough.get()) {
                  acknowledged += ping(gateway, topics.get(1)) == 204 ? 1 : 0;
                }
                return acknowledged;
              });
      Exit exit = GatewayProcess.command("backup", backup.toString(), "--data=" + data);
      enough.set(true);

      assertThat(exit.code()).as(exit.errors()).isZero();
      assertThat(load.join()).isPositive();
      gateway.kill9();
    }
    gates.forEach(gate -> gate.complete(null));
    for (int i = 0; i < TOPICS; i++) {
      publish(i, "news", "old");
      subscriber.answer("s" + i, 200);
    }

    Path restored = Files.createDirectory(folder.resolve("restored"));
    Files.copy(backup, restored.resolve("feedbridge.db"));
    try (GatewayProcess refused = GatewayProcess.launch(restored, FreePort.next())) {
      Exit exit = refused.exit();
      assertThat(exit.code()).isEqualTo(1);
      assertThat(exit.errors()).contains(KEY, "is missing", "--key-file").doesNotContain("\tat ");
    }
    Files.copy(data.resolve(KEY), restored.resolve(KEY));
    try (GatewayProcess gateway = GatewayProcess.start(restored, FreePort.next(), RARE_POLLS)) {
      assertThat(gateway.meter("feedbridge_subscriptions_websub")).isEqualTo(TOPICS);
      for (int i = 0; i < TOPICS; i++) {
        String path = "s" + i;
        await().atMost(LONG).until(() -> has(path, "news"));
        assertThat(subscriber.received(path))
            .allMatch(
                delivery ->
                    Signature.verify(
                        delivery.header("X-Hub-Signature").orElse(null), SECRET, delivery.body()));
      }
      assertThat(gateway.terminate().code()).isZero();
    }
  }

  @Test
  void a_log_of_another_store_beside_the_backup_is_refused_and_left_as_it_is() throws Exception {
    Path data = folder.resolve("data");
    Path backup = folder.resolve("backup.db");
    int port = FreePort.next();
    try (GatewayProcess gateway = GatewayProcess.start(data, port, RARE_POLLS)) {
      subscribed(gateway);
      assertThat(GatewayProcess.command("backup", backup.toString(), "--data=" + data).code())
          .isZero();
      gateway.kill9();
    }
    Files.delete(data.resolve("feedbridge.db"));
    Files.copy(backup, data.resolve("feedbridge.db"));
    byte[] log = Files.readAllBytes(data.resolve("feedbridge.db-wal"));
    assertThat(log).isNotEmpty();

    try (GatewayProcess refused = GatewayProcess.launch(data, port)) {
      Exit exit = refused.exit();
      assertThat(exit.code()).isEqualTo(1);
      assertThat(exit.errors())
          .contains("feedbridge.db-wal", "does not belong to the store")
          .doesNotContain("\tat ");
    }
    assertThat(data.resolve("feedbridge.db-wal")).hasBinaryContent(log);
  }

  @Test
  void a_backup_that_cannot_be_made_ends_with_1_and_leaves_nothing() throws IOException {
    Exit none =
        GatewayProcess.command(
            "backup", folder.resolve("b").toString(), "--data=" + folder.resolve("none"));

    assertThat(none.code()).isEqualTo(1);
    assertThat(none.errors()).startsWith("there is no store in").doesNotContain("Exception");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }
}
