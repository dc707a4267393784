package io.feedbridge.gateway.log;

import io.feedbridge.gateway.store.log.Document;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.Log.Page;
import io.feedbridge.gateway.store.log.Log.Scope;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages of the log for many followers. Many readers are at the same position, and readers
 * that have to wait for their sinks come back to it, so that the last page is kept, and the
 * position after which there was nothing. One thread at a time reads; the other methods are safe
 * for use by any thread.
 */
final class LogPages {

  private final Log events;
  private final AtomicLong appends = new AtomicLong();

  /** The last page that was read for all feeds. */
  private @Nullable Page shared;

  /** The number of appends reported when {@link #shared} was read. */
  private long sharedAsOf = -1;

  /** Where a reader of some feeds only read last. */
  private long lastOfSome = -1;

  /** Where the log ended when a number of appends was reported. */
  private record End(long after, long asOf) {}

  private volatile End end = new End(-1, 0);

  LogPages(Log events) {
    this.events = events;
  }

  /** An append was reported. */
  void appended() {
    appends.incrementAndGet();
  }

  /** The number of appends reported so far. */
  long appends() {
    return appends.get();
  }

  /** Whether nothing comes after a position, as far as it was looked at. */
  boolean isEnd(long position) {
    End known = end;
    return position == known.after && known.asOf == appends.get();
  }

  /**
   * A page of events. A page that was just read for one follower is not read again for the others,
   * in any scope.
   *
   * @param filled whether the page must have as many wanted events as fit, whatever other feeds had
   */
  Page read(long after, long upTo, Scope scope, boolean filled) {
    Page page = read(after, upTo, scope);
    boolean mayHoldMore = page.more() && !page.events().isEmpty() && scope != Scope.ALL;
    return filled && mayHoldMore ? events.read(after, upTo, scope) : page;
  }

  private Page read(long after, long upTo, Scope scope) {
    if (upTo != Long.MAX_VALUE) {
      return narrowed(events.read(after, upTo, scope), scope);
    }
    long told = appends.get();
    Page last = shared;
    if (last != null && last.after() == after && told == sharedAsOf) {
      return narrowed(last, scope);
    }
    if (isEnd(after)) {
      return new Page(after, List.of(), after, 0);
    }
    if (scope != Scope.ALL && !isSharedSoon(after)) {
      return events.read(after, upTo, scope);
    }
    Page page = events.read(after, upTo, Scope.ALL);
    if (page.after() != after && scope != Scope.ALL) {
      // Events lost from the whole log may be of feeds that this reader does not want.
      return events.read(after, upTo, scope);
    }
    if (!page.events().isEmpty()) {
      shared = page;
      sharedAsOf = told;
    } else if (page.after() == after && page.to() == after) {
      end = new End(after, told);
    }
    return narrowed(page, scope);
  }

  /**
   * Whether another reader of some feeds is at the same position, near the end of the log: then one
   * page of all feeds is read for all of them. Further back the index is cheaper for a reader of
   * few feeds.
   */
  private boolean isSharedSoon(long after) {
    boolean another = after == lastOfSome;
    lastOfSome = after;
    return another && events.extent().head() - after <= Document.MAX_ENTRIES;
  }

  /** Only a reader that names a feed of the gateway itself wants it. */
  private static boolean isWanted(Event event, Scope scope) {
    return scope instanceof Scope.Some some
        ? some.feedIds().contains(event.feedId())
        : !event.isOwn();
  }

  private static Page narrowed(Page page, Scope scope) {
    List<Event> wanted = page.events().stream().filter(event -> isWanted(event, scope)).toList();
    if (wanted.size() == page.events().size()) {
      return page;
    }
    long bytes = page.bytes() * wanted.size() / page.events().size();
    return new Page(page.after(), wanted, page.to(), bytes, page.more());
  }
}
