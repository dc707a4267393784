package io.feedbridge.gateway.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.KafkaBroker;
import io.feedbridge.gateway.testing.StoredRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar writes its log to a topic of a real broker. */
class KafkaIT {

  private static final Duration LONG = Duration.ofSeconds(90);
  private static final String TOPIC = "feedbridge.events";

  /** Kills, of the gateway and of the broker in turn. */
  private static final int KILLS = Integer.getInteger("kafka.kills", 3);

  private static final long SEED = Long.getLong("kafka.seed", 7);
  private static final int FEEDS = 3;

  /** Bytes that a record of a usual event has room in. */
  private static final int TOO_SMALL = 20_000;

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final List<String> items = new ArrayList<>();
  @TempDir Path folder;
  private KafkaBroker broker;

  @BeforeEach
  void prepare() {
    broker = new KafkaBroker(folder.resolve("kafka"));
  }

  @AfterEach
  void end() {
    broker.close();
    subscriber.close();
    origin.close();
  }

  private GatewayProcess start() {
    return start(broker.saslProperties());
  }

  private GatewayProcess start(Path properties) {
    return start(properties, "json");
  }

  private GatewayProcess start(Path properties, String format) {
    return GatewayProcess.start(
        folder.resolve("data"),
        FreePort.next(),
        "--poll-min=12h",
        "--poll-max=24h",
        "--ping-quiet=0",
        "--ping-recheck=0",
        "--kafka=" + broker.saslAddress(),
        "--kafka-format=" + format,
        "--kafka-config=" + properties);
  }

  private static String header(ConsumerRecord<?, ?> record, String name) {
    return new String(record.headers().lastHeader(name).value(), UTF_8);
  }

  private List<String> published() {
    return broker.read(TOPIC).stream().map(record -> header(record, "seq")).toList();
  }

  private List<String> stored() {
    return new StoredRows(folder.resolve("data")).query("SELECT seq FROM event ORDER BY seq");
  }

  private void ping(GatewayProcess gateway, int feed) {
    items.add(0, "item" + items.size());
    String topic = origin.rss("feed" + feed + ".xml", "", items.toArray(String[]::new));
    assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .isEqualTo(204);
  }

  private void subscribe(GatewayProcess gateway) {
    for (int feed = 0; feed < FEEDS; feed++) {
      gateway.form(
          "/hub",
          "hub.mode",
          "subscribe",
          "hub.topic",
          origin.rss("feed" + feed + ".xml", "", "old"),
          "hub.callback",
          subscriber.url("s" + feed));
    }
    await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == FEEDS);
  }

  @Test
  void a_reader_sees_each_event_once_and_in_order_through_kills_of_gateway_and_broker() {
    Random random = new Random(SEED);
    GatewayProcess gateway = start();
    try {
      subscribe(gateway);
      ping(gateway, 0);
      await().atMost(LONG).until(() -> !subscriber.bodies("s0").isEmpty());
      assertThat(gateway.get("/health").statusCode()).isEqualTo(200);
      assertThat(gateway.get("/health").body()).contains("\"kafka\":\"behind\"");
      assertThat(gateway.meter("feedbridge_kafka_behind")).isEqualTo(1);

      broker.start();
      for (int kill = 0; kill < KILLS; kill++) {
        for (int pings = 5 + random.nextInt(20); pings > 0; pings--) {
          ping(gateway, random.nextInt(FEEDS));
        }
        if (kill % 2 == 1) {
          broker.kill9();
          ping(gateway, 0);
          broker.start();
        } else {
          gateway.kill9();
          gateway.close();
          gateway = start();
        }
      }
      GatewayProcess last = gateway;
      await().atMost(LONG).until(() -> last.meter("feedbridge_kafka_behind") == 0);
      broker.limit(TOPIC, TOO_SMALL);
      String item = "<item><guid>long</guid><description>%s</description></item>";
      origin.rss("feed1.xml", item.formatted("word ".repeat(TOO_SMALL)), "old");
      assertThat(
              last.form("/hub", "hub.mode", "publish", "hub.url", origin.url("feed1.xml"))
                  .statusCode())
          .isEqualTo(204);
      await().atMost(LONG).until(() -> last.meter("feedbridge_work_waiting") == 0);
      ping(last, 2);
      await().atMost(LONG).until(() -> last.meter("feedbridge_work_waiting") == 0);
      await().atMost(LONG).until(() -> published().size() >= stored().size());
      assertThat(published()).isEqualTo(stored()).hasSizeGreaterThan(2 * KILLS);
      assertThat(last.get("/health").body()).contains("\"kafka\":\"up\"");

      assertThat(broker.read(TOPIC))
          .filteredOn(record -> record.headers().lastHeader("entries-left-out") != null)
          .hasSize(1)
          .allSatisfy(record -> assertThat(header(record, "entries-left-out")).isEqualTo("1"))
          .allSatisfy(record -> assertThat(record.value()).doesNotContain("word "));
      ConsumerRecord<String, String> first = broker.read(TOPIC).get(0);
      assertThat(first.key()).isEqualTo(origin.url("feed0.xml"));
      assertThat(first.value()).startsWith("{\"status\":").contains("\"id\":\"item0\"");
      assertThat(header(first, "via")).isEqualTo("publish");
      assertThat(header(first, "content-type")).isEqualTo("application/json; charset=utf-8");
      assertThat(header(first, "id")).endsWith("-" + header(first, "seq"));
      assertThat(last.terminate().code()).isZero();
    } finally {
      gateway.close();
    }
  }

  @Test
  void a_record_may_be_a_cloud_event() {
    broker.start();
    try (GatewayProcess gateway = start(broker.saslProperties(), "cloudevents")) {
      subscribe(gateway);
      ping(gateway, 0);

      await().atMost(LONG).until(() -> published().size() == 1);
      ConsumerRecord<String, String> record = broker.read(TOPIC).get(0);
      assertThat(header(record, "content-type")).startsWith("application/cloudevents+json");
      assertThat(record.value())
          .startsWith("{\"specversion\":\"1.0\",\"id\":\"" + header(record, "id") + "\"")
          .contains("\"type\":\"feed.entries\"", "\"source\":\"" + origin.url("feed0.xml") + "\"")
          .contains("\"data\":{\"type\":\"feed.entries\",\"status\":");
    }
  }

  @Test
  void a_record_over_the_bound_of_the_client_is_cut_and_the_next_one_follows() throws IOException {
    broker.start();
    Path properties = folder.resolve("bounded.properties");
    Files.writeString(
        properties, Files.readString(broker.saslProperties()) + "max.request.size=" + TOO_SMALL);
    try (GatewayProcess gateway = start(properties)) {
      subscribe(gateway);
      String item = "<item><guid>long</guid><description>%s</description></item>";
      origin.rss("feed1.xml", item.formatted("word ".repeat(TOO_SMALL)), "old");
      gateway.form("/hub", "hub.mode", "publish", "hub.url", origin.url("feed1.xml"));
      await().atMost(LONG).until(() -> stored().size() == 1);
      ping(gateway, 2);

      await().atMost(LONG).until(() -> published().size() == 2);
      assertThat(published()).isEqualTo(stored());
      assertThat(broker.read(TOPIC).get(0).headers().lastHeader("entries-left-out")).isNotNull();
      assertThat(gateway.meter("feedbridge_kafka_up")).isEqualTo(1);
    }
  }

  @Test
  void events_after_a_restore_are_published_under_ids_of_their_own() throws IOException {
    broker.start();
    Path data = folder.resolve("data");
    Path backup = folder.resolve("backup");
    try (GatewayProcess gateway = start()) {
      subscribe(gateway);
      ping(gateway, 0);
      await().atMost(LONG).until(() -> published().size() == 1);
      assertThat(gateway.terminate().code()).isZero();
    }
    copy(data, backup);
    try (GatewayProcess gateway = start()) {
      ping(gateway, 0);
      await().atMost(LONG).until(() -> published().size() == 2);
      ping(gateway, 1);
      await().atMost(LONG).until(() -> published().size() == 3);
      assertThat(gateway.terminate().code()).isZero();
    }

    copy(backup, data);
    broker.kill9();
    try (GatewayProcess gateway = start()) {
      for (int event = 2; event <= 6; event++) {
        ping(gateway, 2);
        int stored = event;
        await().atMost(LONG).until(() -> stored().size() == stored);
      }
      broker.start();

      await().atMost(LONG).until(() -> gateway.meter("feedbridge_kafka_behind") == 0);
      // A transaction is committed a moment before its records can be read.
      await().atMost(LONG).until(() -> broker.read(TOPIC).size() >= 8);
      List<ConsumerRecord<String, String>> all = broker.read(TOPIC);
      assertThat(all.stream().map(record -> header(record, "seq")))
          .containsExactly("1", "2", "3", "2", "3", "4", "5", "6");
      assertThat(all.stream().map(record -> header(record, "id"))).doesNotHaveDuplicates();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (String name : List.of("feedbridge.db", "feedbridge.db-wal", "feedbridge.db-shm")) {
      Files.deleteIfExists(to.resolve(name));
      if (Files.exists(from.resolve(name))) {
        Files.copy(from.resolve(name), to.resolve(name));
      }
    }
    if (Files.notExists(to.resolve("feedbridge-secrets.key"))) {
      Files.copy(from.resolve("feedbridge-secrets.key"), to.resolve("feedbridge-secrets.key"));
    }
  }

  @Test
  void without_the_jar_of_the_client_the_start_ends_with_1_and_says_what_to_do()
      throws IOException {
    Path alone = Files.copy(Path.of(GatewayProcess.jar()), folder.resolve("feedbridge.jar"));
    List<String> command =
        List.of(
            System.getProperty("java.home") + "/bin/java",
            "-jar",
            alone.toString(),
            "serve",
            "--listen=127.0.0.1:" + FreePort.next(),
            "--data=" + folder.resolve("data"),
            "--kafka=127.0.0.1:9");
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.onExit().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join().exitValue())
        .isEqualTo(1);
    assertThat(Files.readString(output))
        .contains("--kafka needs feedbridge-kafka.jar", "into the folder of feedbridge.jar")
        .doesNotContain("\tat ");
  }
}
