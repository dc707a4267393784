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
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The last of each kind of thing that the gateway did: very many notifications do not push out the
 * few registrations. It lies in memory and ends with the process. Safe for use by several threads.
 */
public final class ActivityLog {

  /** Things of each kind that are kept. */
  public static final int KEPT = 500;

  /** Characters of each text that are kept. */
  static final int MAX_LENGTH = 500;

  private static final Pattern UNFIT = Pattern.compile("[\\p{Cntrl}\\p{Cs}]");

  private final Clock clock;

  /** The newest last; guarded by itself, with the ids, so that they appear in their order. */
  private final Map<Kind, Deque<Activity>> kept = new EnumMap<>(Kind.class);

  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
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
   * @param callback of which only the host is kept, since the rest may be secret, or that host;
   *     empty for none
   */
  public void note(Kind kind, String feed, String callback, boolean success, String outcome) {
    String topic = line(feed);
    String peer = line(CallbackHost.of(callback));
    String end = line(outcome);
    synchronized (kept) {
      Deque<Activity> ring = kept.getOrDefault(kind, new ArrayDeque<>());
      lastId++;
      ring.addLast(new Activity(lastId, clock.instant(), kind, topic, peer, success, end));
      if (ring.size() > KEPT) {
        ring.removeFirst();
      }
    }
    listeners.forEach(Runnable::run);
  }

  /**
   * Has something run after each thing that is noted, by whoever notes it: it must be short.
   *
   * @return ends that
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

  /** What of it came after an id and is still kept, the oldest first. */
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
    return found;
  }

  /** What is wanted of it, the newest first, at most so many. */
  public List<Activity> newest(Predicate<Activity> wanted, int limit) {
    List<Activity> found = new ArrayList<>();
    synchronized (kept) {
      for (Deque<Activity> ring : kept.values()) {
        ring.stream().filter(wanted).forEach(found::add);
      }
    }
    found.sort(Comparator.comparingLong(Activity::id).reversed());
    return found.subList(0, Math.min(limit, found.size()));
  }

  /** One bounded line. */
  private static String line(String text) {
    String shown = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) : text;
    for (int i = 0; i < shown.length(); i++) {
      char c = shown.charAt(i);
      if (Character.isISOControl(c) || Character.isSurrogate(c)) {
        return UNFIT.matcher(shown).replaceAll(" ");
      }
    }
    return shown;
  }
}
