package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.normalizer.Entry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Comments on the gateway's events, as any consumer of its event log could: the watch reads the log
 * from a cursor on.
 */
final class LogWatch implements AutoCloseable {

  private final Store store;
  private final Journal journal;
  private final List<String> topics;

  /** Cursors by topic; only the one thread uses them. */
  private final Map<String, Long> cursors = new HashMap<>();

  /** One queued look is enough: it sees the events of every wake-up that comes before it begins. */
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(1),
          task -> new Thread(task, "log-watch"),
          new ThreadPoolExecutor.DiscardPolicy());

  /** Watches until it is closed, which must be before the store is. */
  LogWatch(Store store, Journal journal, List<String> topics) {
    this.store = store;
    this.journal = journal;
    this.topics = List.copyOf(topics);
    store.onChange(Change.APPENDED, () -> thread.execute(this::look));
  }

  private void look() {
    topics.forEach(topic -> store.feeds().byTopic(topic).ifPresent(this::look));
  }

  private void look(FollowedFeed feed) {
    long cursor = cursors.getOrDefault(feed.topic(), 0L);
    store.feeds().events(feed.id(), cursor, feed.head()).forEach(this::tell);
    cursors.put(feed.topic(), feed.head());
  }

  private void tell(Event event) {
    String how = String.valueOf(event.update().status().http());
    int counts = how.indexOf(':');
    for (Entry entry : event.update().feed().entries()) {
      journal.say(
          event.at(),
          Actor.GATEWAY,
          "%s, normalized: new entry “%s”"
              .formatted(counts < 0 ? how : how.substring(0, counts), entry.title()));
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      var unused = thread.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
