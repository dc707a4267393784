package io.feedbridge.gateway.activity;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.store.CallbackHost;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The newest activities of each kind: very many notifications do not push out the few
 * registrations. The log is in memory and ends with the process. Safe for use by several threads.
 */
public final class ActivityLog {

  /** Things of each kind that are kept. */
  public static final int KEPT = 500;

  /** Characters of each text that are kept. */
  static final int MAX_LENGTH = 500;

  private static final Logger log = LoggerFactory.getLogger(ActivityLog.class);
  private static final Pattern UNFIT = Pattern.compile("[\\p{Cntrl}\\p{Cs}]");

  private final Clock clock;

  /**
   * The newest last, as they were noted: very many are never looked at. Guarded by itself, with the
   * ids, so that they appear in their order.
   */
  private final Map<Kind, Deque<Activity>> kept = new EnumMap<>(Kind.class);

  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile Consumer<Notice> onNotice = notice -> {};
  private long lastId;

  /** An empty log. */
  public ActivityLog(Clock clock) {
    this.clock = clock;
    for (Kind kind : Kind.values()) {
      kept.put(kind, new ArrayDeque<>());
    }
  }

  /**
   * Notes that something happened. Returns at once.
   *
   * @param callback of which only the host is kept, since the rest may be secret; empty for none
   */
  public void note(Kind kind, String feed, String callback, boolean success, String outcome) {
    noteOfHost(kind, feed, CallbackHost.of(callback), success, outcome);
  }

  /**
   * The same for callers that know the host of the callback.
   *
   * @param host {@link CallbackHost#of} the callback, never more of it; empty for none
   */
  public void noteOfHost(Kind kind, String feed, String host, boolean success, String outcome) {
    note(kind, feed, host, success, outcome, null);
  }

  /**
   * Tells operators of an event of the gateway itself. Returns at once.
   *
   * @param about as of a {@link Notice}
   */
  public void tell(Notice.Type type, String about, String text) {
    onNotice.accept(new Notice(clock.instant(), type, bounded(about), bounded(text)));
  }

  /** Sets the receiver of such events, which must be short. */
  public void onNotice(Consumer<Notice> receiver) {
    onNotice = receiver;
  }

  /** Notes a delivery. Returns at once. */
  public void delivery(
      String feed, String host, boolean success, String outcome, Activity.Delivery delivery) {
    note(Kind.NOTIFICATION, feed, host, success, outcome, delivery);
  }

  private void note(
      Kind kind,
      String feed,
      String host,
      boolean success,
      String outcome,
      Activity.@Nullable Delivery delivery) {
    String topic = bounded(feed);
    String peer = bounded(host);
    String end = bounded(outcome);
    Activity one;
    synchronized (kept) {
      Deque<Activity> ring = kept.getOrDefault(kind, new ArrayDeque<>());
      lastId++;
      one = new Activity(lastId, clock.instant(), kind, topic, peer, success, end, delivery);
      ring.addLast(one);
      if (ring.size() > KEPT) {
        ring.removeFirst();
      }
    }
    if (log.isDebugEnabled()) {
      tell(shown(one));
    }
    listeners.forEach(Runnable::run);
  }

  /** At DEBUG the gateway's log has each activity, without the parts that may be secret. */
  private static void tell(Activity one) {
    LoggingEventBuilder line =
        log.atDebug()
            .addKeyValue("kind", one.kind().name().toLowerCase(Locale.ROOT))
            .addKeyValue("feed", one.forEveryone().feed())
            .addKeyValue("peer", one.peer())
            .addKeyValue("success", one.success());
    if (one.delivery() != null) {
      line =
          line.addKeyValue("subscriber", one.delivery().subscriber())
              .addKeyValue("event", one.delivery().event());
    }
    line.log(one.outcome());
  }

  /**
   * Adds a listener that runs after each noted activity, on the thread that notes it: it must be
   * short.
   *
   * @return removes the listener
   */
  public Runnable listen(Runnable listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** The id of the newest thing; 0 where there was none. */
  public long newestId() {
    synchronized (kept) {
      return lastId;
    }
  }

  /** The activities after an id that are still kept, the oldest first. */
  public List<Activity> after(long id) {
    List<Activity> found = new ArrayList<>();
    synchronized (kept) {
      for (Deque<Activity> ring : kept.values()) {
        Iterator<Activity> newestFirst = ring.descendingIterator();
        while (newestFirst.hasNext()) {
          Activity one = newestFirst.next();
          if (one.id() <= id) {
            break;
          }
          found.add(one);
        }
      }
    }
    found.sort(Comparator.comparingLong(Activity::id));
    found.replaceAll(ActivityLog::shown);
    return found;
  }

  /** The activities that the test accepts, the newest first, up to the limit. */
  public List<Activity> newest(Predicate<Activity> wanted, int limit) {
    List<Activity> found = new ArrayList<>();
    synchronized (kept) {
      kept.values().forEach(found::addAll);
    }
    return found.stream()
        .sorted(Comparator.comparingLong(Activity::id).reversed())
        .map(ActivityLog::shown)
        .filter(wanted)
        .limit(limit)
        .toList();
  }

  private static String bounded(String text) {
    return text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) : text;
  }

  private static Activity shown(Activity noted) {
    return new Activity(
        noted.id(),
        noted.at(),
        noted.kind(),
        line(noted.feed()),
        line(noted.peer()),
        noted.success(),
        line(noted.outcome()),
        noted.delivery());
  }

  private static String line(String text) {
    return UNFIT.matcher(text).replaceAll(" ");
  }
}
