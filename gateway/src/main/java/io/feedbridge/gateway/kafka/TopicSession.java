package io.feedbridge.gateway.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transactional producer with the cursor that it continues from. The cursor is a record of a
 * compacted topic, written in the transaction of the events that it covers. A session ends with its
 * first failure; the next session aborts the transaction that was left open, and reads the cursor
 * anew. So an unknown outcome of a commit doubles and loses nothing.
 *
 * <p>A broker that has just started may answer that a topic ends before it does, and the cursor is
 * then an old one or none. So the first transaction is committed only if its cursor stands right
 * where the reading of the old one ended. Not thread-safe.
 */
final class TopicSession implements AutoCloseable {

  /** The longest value of a record that the topic takes, in bytes. */
  static final int MAX_RECORD = 8 << 20;

  /** Time that one call to the brokers may take. */
  static final Duration CALL = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(TopicSession.class);

  private static final byte[] KEY = "cursor".getBytes(UTF_8);

  private final String topic;
  private final String cursorTopic;
  private final String logId;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Cursor cursor;

  /** The offset of the next record of the cursor's topic; negative once a record stood there. */
  private long end;

  /**
   * Connects. Blocks.
   *
   * @param properties of the client, with the brokers
   * @param logId the identity of the log, which its cursor carries
   * @throws KafkaException if the brokers cannot be reached or refuse the client
   */
  TopicSession(Properties properties, String topic, String logId) {
    this.topic = topic;
    cursorTopic = topic + ".cursor";
    this.logId = logId;
    makeTopics(properties);
    producer =
        new KafkaProducer<>(
            with(
                properties, Map.of("transactional.id", "feedbridge-%s-%s".formatted(topic, logId))),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    boolean whole = false;
    try {
      producer.initTransactions();
      cursor = readCursor(properties);
      whole = true;
    } finally {
      if (!whole) {
        close();
      }
    }
  }

  /** The properties of the operator, with bounds where he names none, and these in any case. */
  private static Properties with(Properties properties, Map<String, String> own) {
    Properties all = new Properties();
    String call = Long.toString(CALL.toMillis());
    all.put("max.block.ms", call);
    all.put("request.timeout.ms", call);
    all.put("delivery.timeout.ms", Long.toString(2 * CALL.toMillis()));
    all.put("default.api.timeout.ms", call);
    all.put("max.request.size", Integer.toString(2 * MAX_RECORD));
    all.put("linger.ms", "0");
    all.putAll(properties);
    all.put("enable.idempotence", "true");
    all.put("acks", "all");
    all.putAll(own);
    return all;
  }

  /** A cluster that makes topics by itself would not compact the cursor's. */
  private void makeTopics(Properties properties) {
    try (Admin admin = Admin.create(with(properties, Map.of()))) {
      make(
          admin,
          new NewTopic(topic, Optional.empty(), Optional.empty())
              .configs(Map.of("max.message.bytes", Integer.toString(MAX_RECORD))));
      make(
          admin,
          new NewTopic(cursorTopic, Optional.of(1), Optional.empty())
              // The client that reads it has no library for most compressions.
              .configs(Map.of("cleanup.policy", "compact", "compression.type", "uncompressed")));
      admin.close(Duration.ZERO);
    }
  }

  private static void make(Admin admin, NewTopic wanted) {
    try {
      if (!await(admin.listTopics().names()).contains(wanted.name())) {
        await(admin.createTopics(List.of(wanted)).all());
        log.atInfo().addKeyValue("topic", wanted.name()).log("The topic is made");
      }
    } catch (org.apache.kafka.common.errors.TopicExistsException madeMeanwhile) {
      log.debug("Another process made the topic {}", wanted.name());
    }
  }

  private static <T> T await(Future<T> answer) {
    try {
      return answer.get(2 * CALL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException known ? known : new KafkaException(e.getCause());
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException("the brokers do not answer", e);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  /**
   * Reads the cursor and the end of its topic. Everything before is committed or aborted by now,
   * because the producer has its turn.
   */
  private Cursor readCursor(Properties properties) {
    TopicPartition partition = new TopicPartition(cursorTopic, 0);
    Properties own =
        with(
            properties,
            Map.of("isolation.level", "read_committed", "auto.offset.reset", "earliest"));
    own.remove("group.id");
    Cursor found = Cursor.NONE;
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      // The client leaves a partition out if the broker does not know its end.
      Long known = consumer.endOffsets(List.of(partition), CALL).get(partition);
      if (known == null) {
        throw new KafkaException("the brokers do not tell the end of " + cursorTopic);
      }
      end = known;
      long until = System.nanoTime() + CALL.toNanos();
      while (consumer.position(partition, CALL) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          found = read(record);
        }
        if (System.nanoTime() > until) {
          throw new org.apache.kafka.common.errors.TimeoutException("the cursor cannot be read");
        }
      }
    }
    return found;
  }

  private Cursor read(ConsumerRecord<byte[], byte[]> record) {
    String[] parts = new String(record.value(), UTF_8).split(" ", 2);
    if (parts.length != 2 || !parts[0].equals(logId)) {
      throw new OtherLogException(
          "the topic %s has the events of another gateway's log: name another one with --kafka-topic"
              .formatted(topic));
    }
    return Cursor.of(parts[1]);
  }

  /** The topic has the cursor of another log. */
  static final class OtherLogException extends KafkaException {
    private static final long serialVersionUID = 1L;

    OtherLogException(String message) {
      super(message);
    }
  }

  /** The last event that was in the topic when the session began. */
  Cursor cursor() {
    return cursor;
  }

  /**
   * Writes records and the cursor behind them, in one transaction. Blocks until it is committed.
   *
   * @throws TooLargeException if a record is longer than the topic takes
   * @throws KafkaException if the outcome is unknown or nothing was written, or if the topic did
   *     not end where its cursor was read; the session has ended
   */
  void write(List<ProducerRecord<byte[], byte[]>> records, Cursor to) {
    producer.beginTransaction();
    List<Future<?>> sent = new ArrayList<>();
    Future<RecordMetadata> covering;
    try {
      for (ProducerRecord<byte[], byte[]> record : records) {
        sent.add(producer.send(record));
      }
      byte[] value = (logId + " " + to.text()).getBytes(UTF_8);
      covering = producer.send(new ProducerRecord<>(cursorTopic, 0, KEY, value));
      producer.flush();
    } catch (KafkaException e) {
      // The client itself refuses a record over its max.request.size, and each call after it fails
      // without the reason.
      for (int i = 0; i < sent.size(); i++) {
        if (sent.get(i).isDone()) {
          check(sent.get(i), i);
        }
      }
      throw isTooLarge(e) ? new TooLargeException(sent.size(), e) : e;
    }
    for (int i = 0; i < sent.size(); i++) {
      check(sent.get(i), i);
    }
    long offset = await(covering).offset();
    if (end >= 0 && offset != end) {
      throw new KafkaException(
          "the cursor was read up to offset %d of %s, which ends at %d: it is read again"
              .formatted(end, cursorTopic, offset));
    }
    producer.commitTransaction();
    end = -1;
  }

  private static void check(Future<?> sent, int index) {
    try {
      await(sent);
    } catch (KafkaException e) {
      throw isTooLarge(e) ? new TooLargeException(index, e) : e;
    }
  }

  private static boolean isTooLarge(KafkaException e) {
    return e instanceof RecordTooLargeException || e instanceof RecordBatchTooLargeException;
  }

  /** A record of a transaction is too large; nothing of the transaction was written. */
  static final class TooLargeException extends KafkaException {
    private static final long serialVersionUID = 1L;

    private final int index;

    TooLargeException(int index, KafkaException cause) {
      super(cause);
      this.index = index;
    }

    /** Its place among the records. */
    int index() {
      return index;
    }
  }

  /** Ends without waiting for anything. */
  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
