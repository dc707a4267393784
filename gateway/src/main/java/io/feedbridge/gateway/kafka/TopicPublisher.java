package io.feedbridge.gateway.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.webhook.targets.CloudEvent;
import io.feedbridge.gateway.webhook.targets.FeedDocument;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes each event of the log to the topic, once and in order, for readers with {@code
 * isolation.level=read_committed}. While the brokers cannot be reached it lags; nothing waits for
 * it.
 */
public final class TopicPublisher implements AutoCloseable {

  /** Events of one transaction. */
  public static final int MAX_EVENTS = 500;

  /** Bytes of stored events of one transaction, past which no more are read. */
  public static final long MAX_BYTES = 4L << 20;

  /** The first pause after a failure; each further pause is twice as long. */
  static final Duration PAUSE = Duration.ofSeconds(1);

  /** The longest pause after failures. */
  public static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private static final String CONTENT_TYPE = "application/json; charset=utf-8";

  private static final Logger log = LoggerFactory.getLogger(TopicPublisher.class);

  private final Store store;
  private final Properties properties;
  private final String topic;
  private final boolean cloudEvents;
  private final String logId;
  private final BooleanSupplier owns;
  private final Timer timer;
  private final Pump pump;
  private final AtomicLong position = new AtomicLong();
  private final AtomicLong records = new AtomicLong();
  private final AtomicLong missed = new AtomicLong();

  /** Why nothing can be written; empty while it can. */
  private volatile String problem = "not connected yet";

  private volatile @Nullable Thread stepping;
  private volatile boolean closed;

  /** The end of the log before this process appended to it. */
  private long headAtStart;

  // Only the pump's step touches these.
  private @Nullable TopicSession session;
  private Cursor cursor = Cursor.NONE;
  private boolean written;
  private final Set<Long> tooLarge = new HashSet<>();

  /** Events that are too large even without their entries. */
  private final Set<Long> leftOut = new HashSet<>();

  private Duration pause = PAUSE;
  private Instant connectAt = Instant.MIN;
  private boolean told;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param properties of Kafka's client, with the brokers
   * @param cloudEvents whether the value of a record is a CloudEvent
   * @param logId the identity of the log
   * @param owns whether this process may trust that it owns the store: no other one writes then
   * @param executor for the pump, which blocks
   */
  public TopicPublisher(
      Store store,
      Properties properties,
      String topic,
      boolean cloudEvents,
      String logId,
      BooleanSupplier owns,
      Executor executor,
      Timer timer) {
    this.store = store;
    this.properties = properties;
    this.topic = topic;
    this.cloudEvents = cloudEvents;
    this.logId = logId;
    this.owns = owns;
    this.timer = timer;
    pump = new Pump("kafka", this::step, executor, timer);
  }

  /** Begins to publish; called before anything is appended. */
  public void start() {
    headAtStart = store.log().extent().head();
    store.onChange(Change.APPENDED, pump::wake);
    pump.start();
  }

  /** Events of the log that are not in the topic yet, at most. */
  public long behind() {
    return Math.max(0, store.log().extent().head() - position.get());
  }

  /** Whether the topic took the last transaction, or is connected and waits for the first. */
  public boolean isUp() {
    return problem.isEmpty();
  }

  /** Events that were written since the start. */
  public long records() {
    return records.get();
  }

  /** Events that had left the log before they were written, or that the topic does not take. */
  public long missed() {
    return missed.get();
  }

  private Optional<Instant> step() {
    Instant now = timer.clock().instant();
    if (session == null && now.isBefore(connectAt)) {
      return Optional.of(connectAt);
    }
    if (!owns.getAsBoolean()) {
      return Optional.of(now.plus(PAUSE));
    }
    stepping = Thread.currentThread();
    try {
      if (closed) {
        return Optional.empty();
      }
      boolean more = publish();
      recovered();
      return more ? Optional.of(now) : Optional.empty();
    } catch (TopicSession.TooLargeException e) {
      end();
      return Optional.of(now);
    } catch (KafkaException e) {
      end();
      return failed(e);
    } finally {
      stepping = null;
      // An interrupt is for this step alone.
      boolean unused = Thread.interrupted();
    }
  }

  private void recovered() {
    if (!problem.isEmpty()) {
      log.atInfo().addKeyValue("topic", topic).log("The topic in Kafka takes events");
    }
    problem = "";
    told = false;
    pause = PAUSE;
  }

  private Optional<Instant> failed(KafkaException e) {
    problem = reason(e);
    if (closed) {
      return Optional.empty();
    }
    if (!told) {
      log.atWarn()
          .addKeyValue("topic", topic)
          .addKeyValue("reason", problem)
          .log("The topic in Kafka cannot be written: events wait in the log");
      told = true;
    }
    connectAt = timer.clock().instant().plus(pause);
    Duration longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
    return Optional.of(connectAt);
  }

  /** The innermost message: the client wraps the one that helps. */
  private static String reason(KafkaException e) {
    Throwable deepest = e;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    return String.valueOf(deepest.getMessage());
  }

  private void end() {
    if (session != null) {
      session.close();
      session = null;
    }
  }

  private TopicSession connected() {
    if (session == null) {
      TopicSession opened = new TopicSession(properties, topic, logId);
      session = opened;
      cursor = resumed(opened.cursor());
      position.set(cursor.seq());
    }
    return session;
  }

  /** Where to go on behind the cursor of the topic. */
  private Cursor resumed(Cursor known) {
    if (written || known.seq() == 0) {
      return known;
    }
    Optional<Event> last =
        store.log().read(known.seq() - 1, known.seq(), Log.Scope.ALL).events().stream()
            .filter(event -> event.seq() == known.seq())
            .findFirst();
    Cursor next = known.resumed(last, headAtStart);
    if (next.run() != known.run()) {
      log.atWarn()
          .addKeyValue("cursor", known.seq())
          .addKeyValue("head", headAtStart)
          .addKeyValue("from", next.seq())
          .addKeyValue("run", next.run())
          .log(
              "The topic has events that the log does not have: an older state of the store was"
                  + " restored, and the ids of events have a new run");
    }
    return next;
  }

  /**
   * Writes the next events.
   *
   * @return whether there may be more
   */
  private boolean publish() {
    TopicSession open = connected();
    List<Event> events = new ArrayList<>();
    long bytes = 0;
    long to = position.get();
    while (events.size() < MAX_EVENTS && bytes < MAX_BYTES) {
      Log.Page page = store.log().read(to, Long.MAX_VALUE, Log.Scope.ALL);
      if (page.after() > to && to > 0) {
        missed.addAndGet(page.after() - to);
        log.atWarn()
            .addKeyValue("after", to)
            .addKeyValue("upTo", page.after())
            .log("Events left the log before they were in the topic, or could not be read");
      }
      boolean end = page.events().isEmpty() && page.to() == to;
      events.addAll(page.events());
      bytes += page.bytes();
      to = page.to();
      if (end) {
        break;
      }
    }
    if (events.isEmpty()) {
      position.set(to);
      return false;
    }
    String mark = Cursor.markOf(events.get(events.size() - 1));
    boolean isLast = events.get(events.size() - 1).seq() == to;
    Cursor next = new Cursor(to, cursor.run(), isLast ? mark : "");
    events.removeIf(event -> leftOut.contains(event.seq()) || GatewayTopic.is(event.topic()));
    try {
      open.write(events.stream().map(this::record).toList(), next);
    } catch (TopicSession.TooLargeException e) {
      Event event = events.get(e.index());
      boolean cut = tooLarge.add(event.seq());
      if (!cut) {
        leftOut.add(event.seq());
        missed.incrementAndGet();
      }
      log.atWarn()
          .addKeyValue("seq", event.seq())
          .addKeyValue("entriesLeftOut", cut)
          .addKeyValue("eventLeftOut", !cut)
          .log("An event is larger than the topic takes");
      throw e;
    }
    tooLarge.clear();
    leftOut.clear();
    cursor = next;
    written = true;
    records.addAndGet(events.size());
    position.set(to);
    return true;
  }

  /** The document that a webhook gets, under the URL of the feed. */
  private ProducerRecord<byte[], byte[]> record(Event event) {
    Feed feed = event.update().feed();
    boolean cut = tooLarge.contains(event.seq());
    Feed written = cut ? feed.withEntries(List.of()) : feed;
    String run = cursor.run() == 0 ? "" : cursor.run() + "-";
    String id = logId + "-" + run + event.seq();
    Status status = event.update().status();
    byte[] value =
        cloudEvents
            ? CloudEvent.of(
                id, new FeedDocument(written, status, event.seq(), event.at(), List.of()))
            : SuperfeedrJson.write(written, status);
    String key =
        store
            .feeds()
            .byId(event.feedId())
            .map(FollowedFeed::topic)
            .orElse(event.update().status().feed());
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topic, null, event.at().toEpochMilli(), key.getBytes(UTF_8), value);
    header(record, "seq", Long.toString(event.seq()));
    header(record, "id", id);
    header(record, "via", event.via().name().toLowerCase(Locale.ROOT));
    header(record, "content-type", cloudEvents ? CloudEvent.CONTENT_TYPE : CONTENT_TYPE);
    if (cut) {
      header(record, "entries-left-out", Integer.toString(feed.entries().size()));
    }
    return record;
  }

  private static void header(ProducerRecord<byte[], byte[]> record, String name, String value) {
    record.headers().add(name, value.getBytes(UTF_8));
  }

  /** Begins no further transaction, and interrupts a call that waits for brokers. */
  @Override
  public void close() {
    closed = true;
    Thread thread = stepping;
    if (thread != null) {
      thread.interrupt();
    }
    pump.close();
    end();
  }
}
