package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.kafka.KafkaLibrary;
import io.feedbridge.gateway.kafka.TopicPublisher;
import io.feedbridge.gateway.runtime.Lifecycle;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Properties;

/** The topic in Kafka, where the operator names brokers. */
final class TopicPart {

  /** Bytes of the name of a log in the topic's cursor. */
  private static final int LOG_ID_BYTES = 8;

  private final Optional<Settings.Topic> topic;
  private final byte[] key;
  private final Machines machines;

  /**
   * Wires it.
   *
   * @param topic absent where the operator names no brokers
   * @param key of the gateway, by which the log is told from others
   */
  TopicPart(Optional<Settings.Topic> topic, byte[] key, Machines machines) {
    this.topic = topic;
    this.key = key;
    this.machines = machines;
  }

  /**
   * Starts to write the log to the topic.
   *
   * @throws IOException if Kafka's client is missing or its properties cannot be read
   */
  void start(Lifecycle lifecycle) throws IOException {
    if (topic.isEmpty()) {
      return;
    }
    Properties properties = KafkaLibrary.check(topic.get().properties());
    properties.put("bootstrap.servers", topic.get().brokers());
    TopicPublisher publisher =
        new TopicPublisher(
            machines.store,
            properties,
            topic.get().name(),
            topic.get().format() == Settings.RecordFormat.CLOUDEVENTS,
            logId(key),
            machines.owned().owns(),
            machines.pool("kafka", 1, 1),
            machines.timer);
    machines.meters.gauge(
        "feedbridge.kafka.up",
        "1 while the topic in Kafka takes events, 0 while it does not",
        () -> publisher.isUp() ? 1 : 0);
    machines.meters.gauge(
        "feedbridge.kafka.behind",
        "Events of the log that are not in the topic in Kafka yet",
        publisher::behind);
    machines.meters.total(
        "feedbridge.kafka.records", "Events written to the topic in Kafka", publisher::records);
    machines.meters.total(
        "feedbridge.kafka.missed",
        "Events that left the log before they were in the topic in Kafka",
        publisher::missed);
    lifecycle.start(publisher::start, publisher::close);
  }

  private static String logId(byte[] key) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(key);
      return HexFormat.of().formatHex(hash, 0, LOG_ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
