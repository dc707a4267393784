package io.feedbridge.gateway.crash;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.crash.Fact.Kept;
import io.feedbridge.gateway.crash.Fact.Logged;
import io.feedbridge.gateway.testing.KafkaBroker;
import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.testing.TcpProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The topic in Kafka that the nodes write, at a broker which they reach by way of a proxy. */
final class EventTopic implements AutoCloseable {

  private static final String NAME = "feedbridge.events";

  /** Feeds are spread over several, and a transaction covers all of them. */
  private static final int PARTITIONS = 3;

  /** More than the time from a write to the end of the process that wrote it. */
  private static final Duration LATE = Duration.ofSeconds(2);

  private final TcpProxy network = new TcpProxy(0);
  private final KafkaBroker broker;

  /** A topic whose broker is not started yet. */
  EventTopic(Path folder) {
    broker = KafkaBroker.behind(network, folder, PARTITIONS);
  }

  void start() {
    broker.start();
  }

  /** The options of a node that writes the topic. */
  List<String> options() {
    return List.of("--kafka=" + broker.saslAddress(), "--kafka-config=" + broker.saslProperties());
  }

  /** The broker ends, and is started again after a while. */
  void kill(Runnable meanwhile) {
    broker.kill9();
    meanwhile.run();
    broker.start();
  }

  /** The broker answers nothing for a while. */
  void suspend(Runnable meanwhile) {
    broker.suspend();
    meanwhile.run();
    broker.resume();
  }

  /** Runs a task after a write has reached the broker, and before its answer reaches the node. */
  void afterWrite(Runnable task) {
    // A publisher that connects would take minutes for its calls, with such answers.
    broker.awaitWrite(NAME);
    network.delay(LATE);
    broker.awaitOpenTransaction(NAME);
    task.run();
    network.delay(Duration.ZERO);
  }

  /** The log, and the records of the topic as a reader of committed transactions gets them. */
  Fact.TopicRead read(StoredRows rows) {
    List<Logged> log =
        rows
            .query(
                "SELECT e.seq, lower(e.via), f.topic FROM event e JOIN feed f ON f.id = e.feed_id"
                    + " ORDER BY e.seq")
            .stream()
            .map(row -> row.split("\\|", 3))
            .map(column -> new Logged(Long.parseLong(column[0]), column[2], column[1]))
            .toList();
    return new Fact.TopicRead(log, broker.read(NAME).stream().map(EventTopic::kept).toList());
  }

  private static Kept kept(ConsumerRecord<String, String> record) {
    return new Kept(
        new Logged(Long.parseLong(header(record, "seq")), record.key(), header(record, "via")),
        header(record, "id"),
        record.partition() + "@" + record.offset());
  }

  private static String header(ConsumerRecord<String, String> record, String name) {
    return new String(record.headers().lastHeader(name).value(), UTF_8);
  }

  @Override
  public void close() {
    broker.close();
    network.close();
  }
}
