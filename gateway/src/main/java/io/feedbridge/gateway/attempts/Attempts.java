package io.feedbridge.gateway.attempts;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recent attempts of each subscription: the last {@value AttemptSet#SLOTS} of {@value #SETS}
 * subscriptions, or fewer of each of more, in at most 16 MiB of memory and of a file. The last
 * failed attempts of a subscription, and a sample of the delivered ones, have their {@link
 * Exchange} too, in a second file of at most 32 MiB. Safe for use by several threads.
 *
 * <p>A delivery only writes into memory. A separate thread writes the changes into the file, at
 * once while few attempts are made and every few milliseconds while many are, so that neither a
 * slow disk nor a full one delays a delivery. (A file mapped into memory would spare the thread,
 * and make each store an access to the disk whenever the kernel is just writing that page.) Data
 * handed to the kernel outlives a kill of the process.
 */
public final class Attempts implements AutoCloseable {

  /**
   * Subscriptions that are kept apart. The ids of subscriptions grow one by one, so the remainder
   * spreads them as evenly as can be.
   */
  static final int SETS = 1 << 14;

  /** Between two delivered attempts whose exchanges go on record. */
  private static final Duration SAMPLE_PAUSE = Duration.ofMillis(100);

  private static final Logger log = LoggerFactory.getLogger(Attempts.class);

  private final AtomicLong nextSample = new AtomicLong(System.nanoTime());

  private final Clock clock;
  private final AtomicReferenceArray<@Nullable AttemptSet> sets;
  private final AtomicLong lastId;
  private final @Nullable AttemptWriter writer;

  private Attempts(
      Clock clock,
      AtomicReferenceArray<@Nullable AttemptSet> sets,
      long lastId,
      @Nullable AttemptWriter writer) {
    this.clock = clock;
    this.sets = sets;
    this.lastId = new AtomicLong(lastId);
    this.writer = writer;
  }

  /**
   * Opens the record of a data folder, which this process must have to itself. Where the file
   * cannot be used the record is kept in memory alone, and the log says so.
   */
  public static Attempts open(Path folder, Clock clock) {
    try {
      return over(AttemptFile.open(folder), ExchangeFile.open(folder), clock);
    } catch (IOException e) {
      log.atWarn()
          .addKeyValue("error", String.valueOf(e))
          .log("The record of attempts will not outlive this process");
      return inMemory(clock);
    }
  }

  static Attempts over(AttemptFile file, ExchangeFile exchanges, Clock clock) throws IOException {
    AtomicReferenceArray<@Nullable AttemptSet> sets = new AtomicReferenceArray<>(SETS);
    AttemptWriter writer = new AttemptWriter(file, exchanges, sets);
    long newest;
    try {
      newest = file.load(sets, writer::changed);
    } catch (IOException e) {
      try (exchanges) {
        file.close();
      }
      throw e;
    }
    writer.start();
    return new Attempts(clock, sets, newest, writer);
  }

  /** A record without a file. */
  public static Attempts inMemory(Clock clock) {
    return new Attempts(clock, new AtomicReferenceArray<>(SETS), 0, null);
  }

  /**
   * An attempt begins. Takes far less than a microsecond and never waits for the disk.
   *
   * @param subscriptionId of the subscription, or {@link #ofWebhook} of an endpoint
   * @param eventId the newest event of the document
   * @param number of attempts at this document, from 1
   * @param bytes of the document
   */
  public RunningAttempt begin(
      long subscriptionId, long eventId, int number, Attempt.Kind kind, int bytes) {
    AttemptSet set = set(Math.floorMod(subscriptionId, SETS));
    long id = lastId.incrementAndGet();
    long now = clock.millis();
    int slot = set.begin(id, subscriptionId, eventId, now, Fields.size(bytes, number), kind);
    changed(set);
    return new RunningAttempt(this, set, slot, id, subscriptionId, now, kind);
  }

  /** Whether the exchange of an attempt that ended so goes on record; of operators' ones all do. */
  boolean isKept(Attempt.Kind kind, DeliveryOutcome outcome) {
    if (writer == null || outcome == DeliveryOutcome.CUT_OFF) {
      return false;
    }
    boolean byHand = kind == Attempt.Kind.RESENT || kind == Attempt.Kind.TEST;
    if (byHand || outcome != DeliveryOutcome.DELIVERED) {
      return true;
    }
    long now = System.nanoTime();
    long next = nextSample.get();
    return now - next >= 0 && nextSample.compareAndSet(next, now + SAMPLE_PAUSE.toNanos());
  }

  void keep(ExchangeFile.Kept exchange) {
    if (writer != null) {
      writer.keep(exchange);
    }
  }

  /** The exchange of an attempt, as long as it is on record. Reads the disk. */
  public Optional<Exchange> exchange(Attempt attempt) {
    if (writer == null) {
      return Optional.empty();
    }
    try {
      Optional<byte[]> found = writer.exchanges().find(attempt);
      return found.isEmpty() ? Optional.empty() : Optional.of(Exchange.read(found.get()));
    } catch (IOException e) {
      log.atWarn().addKeyValue("error", String.valueOf(e)).log("An exchange cannot be read");
      return Optional.empty();
    }
  }

  /** The id under which the attempts at an endpoint are kept, apart from subscriptions' ids. */
  public static long ofWebhook(long id) {
    return -id;
  }

  private AttemptSet set(int index) {
    AttemptSet set = sets.get(index);
    if (set != null) {
      return set;
    }
    AttemptSet fresh = new AttemptSet(index);
    AttemptSet other = sets.compareAndExchange(index, null, fresh);
    return other == null ? fresh : other;
  }

  void changed(AttemptSet set) {
    if (writer != null) {
      writer.changed(set.index());
    }
  }

  /** The attempts on record of a subscription, newest first; it may have ended meanwhile. */
  public List<Attempt> of(long subscriptionId) {
    AttemptSet set = sets.get(Math.floorMod(subscriptionId, SETS));
    return set == null ? List.of() : set.of(subscriptionId);
  }

  /**
   * Writes the remaining changes into the file and closes it. Attempts that begin or end afterwards
   * stay in memory. Waits for the disk.
   */
  @Override
  public void close() {
    if (writer != null) {
      writer.close();
    }
  }
}
