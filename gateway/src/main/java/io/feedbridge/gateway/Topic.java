package io.feedbridge.gateway;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.kafka.KafkaLibrary;
import io.feedbridge.gateway.kafka.TopicPublisher;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ThreadPoolExecutor;

/** The topic in Kafka, where the operator names brokers. */
final class Topic {

  /** Bytes of the name of a log in the topic's cursor. */
  private static final int LOG_ID_BYTES = 8;

  private Topic() {}

  /**
   * Starts to write the log to the topic.
   *
   * @param key the gateway's own key, by which the log is told from others
   * @throws IOException if Kafka's client is missing or its properties cannot be read
   */
  static void start(
      Optional<Settings.Topic> topic, byte[] key, Machines machines, Lifecycle lifecycle)
      throws IOException {
    if (topic.isEmpty()) {
      return;
    }
    Properties properties = KafkaLibrary.check(topic.get().properties());
    properties.put("bootstrap.servers", topic.get().brokers());
    ThreadPoolExecutor thread = Threads.pool("kafka", 1, 1);
    machines.telemetry.watch(thread, "kafka");
    lifecycle.onStop(() -> Threads.end(thread));
    TopicPublisher publisher =
        new TopicPublisher(
            machines.store,
            properties,
            topic.get().name(),
            topic.get().format() == Settings.RecordFormat.CLOUDEVENTS,
            logId(key),
            machines.owned().owns(),
            thread,
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
