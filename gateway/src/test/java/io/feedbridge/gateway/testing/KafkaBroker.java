package io.feedbridge.gateway.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * A broker of Kafka in a process of its own, in KRaft mode, which can be killed and started again
 * over its data. It has a listener without security and one with SASL/PLAIN.
 */
public final class KafkaBroker implements AutoCloseable {

  private static final Duration LONG = Duration.ofSeconds(60);

  private final Path folder;
  private final int plain = FreePort.next();
  private final int reached;
  private final int controller = FreePort.next();
  private @Nullable Process process;

  /** A broker over a folder, which does not run yet. */
  public KafkaBroker(Path folder) {
    this(folder, FreePort.next(), OptionalInt.empty(), 1);
  }

  /**
   * A broker whose listener with SASL is reached by way of a proxy. The broker does not run yet.
   *
   * @param partitions of each topic that names no number
   */
  public static KafkaBroker behind(TcpProxy proxy, Path folder, int partitions) {
    int port = FreePort.next();
    proxy.lead(port);
    return new KafkaBroker(folder, port, OptionalInt.of(proxy.port()), partitions);
  }

  private KafkaBroker(Path folder, int sasl, OptionalInt proxy, int partitions) {
    this.folder = folder;
    reached = proxy.orElse(sasl);
    String settings =
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%3$d
        listeners=PLAINTEXT://127.0.0.1:%1$d,SASL_PLAINTEXT://127.0.0.1:%2$d,CONTROLLER://127.0.0.1:%3$d
        advertised.listeners=PLAINTEXT://127.0.0.1:%1$d,SASL_PLAINTEXT://127.0.0.1:%5$d
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=PLAINTEXT
        sasl.enabled.mechanisms=PLAIN
        listener.name.sasl_plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_feedbridge="a-password";
        log.dirs=%4$s
        broker.session.timeout.ms=2000
        broker.heartbeat.interval.ms=500
        num.partitions=%6$d
        auto.create.topics.enable=false
        offsets.topic.num.partitions=1
        offsets.topic.replication.factor=1
        transaction.state.log.num.partitions=1
        transaction.state.log.replication.factor=1
        transaction.state.log.min.isr=1
        """
            .formatted(plain, sasl, controller, folder.resolve("logs"), reached, partitions);
    try {
      Files.createDirectories(folder.resolve("logs"));
      Files.writeString(folder.resolve("server.properties"), settings);
      Files.writeString(
          folder.resolve("logs").resolve("meta.properties"),
          "version=1\ncluster.id=MkU3OEVBNTcwNTJENDM2Qg\nnode.id=1\ndirectory.id=9kTh2mLpQ7aXcVbN3zYw1A\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address without security. */
  public String address() {
    return "127.0.0.1:" + plain;
  }

  /** The address with SASL/PLAIN. */
  public String saslAddress() {
    return "127.0.0.1:" + reached;
  }

  /** The properties of a client at {@link #saslAddress}, as a file. */
  public Path saslProperties() {
    try {
      return Files.writeString(
          folder.resolve("client.properties"),
          """
          security.protocol=SASL_PLAINTEXT
          sasl.mechanism=PLAIN
          sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="feedbridge" password="a-password";
          """);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts it, without waiting for anything. */
  public void launch() {
    List<String> command =
        List.of(
            System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            "kafka.Kafka",
            folder.resolve("server.properties").toString());
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(
                  ProcessBuilder.Redirect.appendTo(folder.resolve("broker.log").toFile()))
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts it, and waits until it answers. */
  public void start() {
    launch();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      await()
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(100))
          .ignoreExceptions()
          .failFast(
              () -> {
                if (process == null || !process.isAlive()) {
                  throw new AssertionError("the broker ended:\n" + log());
                }
              })
          .until(() -> !admin.describeCluster().nodes().get(5, TimeUnit.SECONDS).isEmpty());
    }
  }

  private String log() throws IOException {
    return Files.readString(folder.resolve("broker.log"), UTF_8);
  }

  /** SIGKILL. Returns when it is gone. */
  public void kill9() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
      try {
        running.waitFor(LONG.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** SIGSTOP: connections stay open, and nothing is answered until {@link #resume}. */
  public void suspend() {
    GatewayProcess.send(running().pid(), "STOP");
  }

  /** SIGCONT. */
  public void resume() {
    GatewayProcess.send(running().pid(), "CONT");
  }

  private Process running() {
    return Objects.requireNonNull(process, "the broker was not started");
  }

  /** Waits until a topic has more records than now, committed or not. */
  public void awaitWrite(String topic) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      AtomicLong first = new AtomicLong(-1);
      await()
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(10))
          .ignoreExceptions()
          .until(
              () -> {
                long length = length(admin, topic, IsolationLevel.READ_UNCOMMITTED);
                return !first.compareAndSet(-1, length) && length > first.get();
              });
    }
  }

  /** Waits until a topic has records of a transaction that is not committed. */
  public void awaitOpenTransaction(String topic) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      await()
          .atMost(LONG)
          .pollInterval(Duration.ofMillis(10))
          .ignoreExceptions()
          .until(
              () ->
                  length(admin, topic, IsolationLevel.READ_COMMITTED)
                      < length(admin, topic, IsolationLevel.READ_UNCOMMITTED));
    }
  }

  private static long length(Admin admin, String topic, IsolationLevel of) throws Exception {
    Map<TopicPartition, OffsetSpec> ends =
        admin.describeTopics(List.of(topic)).allTopicNames().get().values().stream()
            .flatMap(described -> described.partitions().stream())
            .map(partition -> new TopicPartition(topic, partition.partition()))
            .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
    return admin.listOffsets(ends, new ListOffsetsOptions(of)).all().get().values().stream()
        .mapToLong(ListOffsetsResult.ListOffsetsResultInfo::offset)
        .sum();
  }

  /** All committed records of a topic, in the order of each partition. */
  public List<ConsumerRecord<String, String>> read(String topic) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", address());
    properties.put("isolation.level", "read_committed");
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(partition -> new TopicPartition(topic, partition.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      // An end that the broker does not know must not make the topic look shorter.
      while (partitions.stream()
          .anyMatch(
              partition ->
                  consumer.position(partition) < Objects.requireNonNull(ends.get(partition)))) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
    }
    return records;
  }

  /** Has a topic take records up to so many bytes. */
  public void limit(String topic, int bytes) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    AlterConfigOp change =
        new AlterConfigOp(
            new ConfigEntry("max.message.bytes", Integer.toString(bytes)),
            AlterConfigOp.OpType.SET);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      admin
          .incrementalAlterConfigs(Map.of(resource, List.of(change)))
          .all()
          .toCompletionStage()
          .toCompletableFuture()
          .join();
    }
  }

  @Override
  public void close() {
    kill9();
  }
}
