package io.feedbridge.gateway.load;

import io.feedbridge.gateway.load.LocalHosts.Answer;
import io.netty.handler.codec.http.FullHttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Knows what was published and who got what. Entries are numbered within their feed. Safe for use
 * by several threads.
 */
final class Judge implements LocalHosts.Handler {

  private static final Pattern ENTRY =
      Pattern.compile(">entry-(\\d+)-(\\d+)</(?:dc:identifier|guid|id)>");

  /** Delays that are kept for one report. */
  private static final int MAX_DELAYS = 200_000;

  private final List<List<Long>> acknowledged = new ArrayList<>();

  /**
   * When the newest entry of each feed came to be that was acknowledged, and that which was not.
   */
  private final List<Long> newest = new ArrayList<>();

  private final List<Long> begun = new ArrayList<>();
  private final Map<String, Ledger> ledgers = new ConcurrentHashMap<>();
  private final List<Long> delays = new ArrayList<>();
  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicInteger doubled = new AtomicInteger();
  private final AtomicInteger disordered = new AtomicInteger();
  private final AtomicInteger crossed = new AtomicInteger();

  /** What one subscriber has. */
  private static final class Ledger {
    private final int feed;
    private final boolean timed;
    private final BitSet taken = new BitSet();
    private long confirmedAt = Long.MAX_VALUE;
    private long lastAt = Long.MIN_VALUE;

    Ledger(int feed, boolean timed) {
      this.feed = feed;
      this.timed = timed;
    }
  }

  /** One more feed; says its number. */
  synchronized int feed() {
    acknowledged.add(new ArrayList<>());
    newest.add(Long.MIN_VALUE);
    begun.add(Long.MIN_VALUE);
    return acknowledged.size() - 1;
  }

  /** The name of a feed's next entry, which counts once it is {@link #acknowledged}. */
  synchronized String next(int feed) {
    List<Long> all = acknowledged.get(feed);
    all.add(Long.MAX_VALUE);
    begun.set(feed, System.nanoTime());
    return "entry-" + feed + "-" + (all.size() - 1);
  }

  /** A feed's newest entry was published. */
  synchronized void acknowledged(int feed) {
    List<Long> all = acknowledged.get(feed);
    all.set(all.size() - 1, System.nanoTime());
    newest.set(feed, begun.get(feed));
  }

  /**
   * A callback that subscribes to a feed.
   *
   * @param timed whether the delays of its deliveries are of interest
   */
  void expect(String callback, int feed, boolean timed) {
    ledgers.put(callback, new Ledger(feed, timed));
  }

  /** How many entries of those acknowledged in this time a subscriber does not have. */
  int missing(String callback, long from, long to) {
    Ledger ledger = ledger(callback);
    int missing = 0;
    synchronized (this) {
      List<Long> all = acknowledged.get(ledger.feed);
      synchronized (ledger) {
        for (int i = 0; i < all.size(); i++) {
          boolean counts = all.get(i) >= from && all.get(i) < to;
          missing += counts && !ledger.taken.get(i) ? 1 : 0;
        }
      }
    }
    return missing;
  }

  /** When a callback confirmed its subscription; far in the future if it has not yet. */
  long confirmedAt(String callback) {
    Ledger ledger = ledger(callback);
    synchronized (ledger) {
      return ledger.confirmedAt;
    }
  }

  /** When a callback was last sent anything. */
  long lastAt(String callback) {
    Ledger ledger = ledger(callback);
    synchronized (ledger) {
      return ledger.lastAt;
    }
  }

  /**
   * When a feed's newest entry came to be that was acknowledged, which may be after it arrived; far
   * in the past if none was.
   */
  synchronized long newest(int feed) {
    return newest.get(feed);
  }

  private Ledger ledger(String callback) {
    Ledger ledger = ledgers.get(callback);
    if (ledger == null) {
      throw new IllegalArgumentException("nobody expects anything at " + callback);
    }
    return ledger;
  }

  void forget(String callback) {
    ledgers.remove(callback);
  }

  /** Deliveries that were answered 2xx. */
  long taken() {
    return taken.get();
  }

  /** Deliveries that were not. */
  long refused() {
    return refused.get();
  }

  int doubled() {
    return doubled.get();
  }

  /** Entries that came after a newer one. */
  int disordered() {
    return disordered.get();
  }

  /** Entries that came to somebody who had not subscribed to their feed. */
  int crossed() {
    return crossed.get();
  }

  /** The delays since the last call: from the 2xx to a publisher to the arrival. */
  synchronized @Nullable Percentiles delays() {
    Percentiles all = delays.isEmpty() ? null : Percentiles.of(delays);
    delays.clear();
    return all;
  }

  @Override
  public void confirming(LocalHost host, String uri) {
    int query = uri.indexOf('?');
    Ledger ledger = ledgers.get(host.url(uri.substring(1, query < 0 ? uri.length() : query)));
    if (ledger != null && !uri.contains("hub.mode=unsubscribe")) {
      synchronized (ledger) {
        ledger.confirmedAt = Math.min(ledger.confirmedAt, System.nanoTime());
      }
    }
  }

  @Override
  public Answer handle(LocalHost host, FullHttpRequest request) {
    if (!host.manner().takes()) {
      refused.incrementAndGet();
      return Answer.TAKEN;
    }
    taken.incrementAndGet();
    Ledger ledger = ledgers.get(host.url(request.uri().substring(1)));
    if (ledger == null) {
      return Answer.TAKEN;
    }
    Matcher entries = ENTRY.matcher(request.content().toString(StandardCharsets.UTF_8));
    BitSet document = new BitSet();
    while (entries.find()) {
      if (Integer.parseInt(entries.group(1)) == ledger.feed) {
        document.set(Integer.parseInt(entries.group(2)));
      } else {
        crossed.incrementAndGet();
      }
    }
    BitSet fresh = record(ledger, document);
    if (ledger.timed) {
      time(ledger.feed, fresh);
    }
    return Answer.TAKEN;
  }

  private BitSet record(Ledger ledger, BitSet document) {
    BitSet fresh = (BitSet) document.clone();
    synchronized (ledger) {
      ledger.lastAt = System.nanoTime();
      fresh.andNot(ledger.taken);
      doubled.addAndGet(document.cardinality() - fresh.cardinality());
      // Within a document the order is the feed's own.
      if (!fresh.isEmpty() && fresh.nextSetBit(0) < ledger.taken.length() - 1) {
        disordered.incrementAndGet();
      }
      ledger.taken.or(fresh);
    }
    return fresh;
  }

  private synchronized void time(int feed, BitSet fresh) {
    long now = System.nanoTime();
    fresh.stream()
        .mapToLong(i -> acknowledged.get(feed).get(i))
        .filter(at -> delays.size() < MAX_DELAYS)
        .forEach(at -> delays.add(at == Long.MAX_VALUE ? 0 : now - at));
  }
}
