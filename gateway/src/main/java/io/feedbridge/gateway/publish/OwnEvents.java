package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.StoreHealth;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.deliveries.Notices;
import io.feedbridge.gateway.store.sql.deliveries.Notices.Stored;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrAtom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * The gateway's own events as topics: they are stored, and each topic that is followed has them as
 * its entries. So they reach their readers as any feed does. Safe for use by several threads.
 */
public final class OwnEvents implements LocalTopics, AutoCloseable {

  /** Events that wait to be stored; further ones are counted alone. */
  static final int MAX_WAITING = 1_000;

  /** Events of one type in an hour; further ones are counted alone. */
  static final int MAX_AN_HOUR = 60;

  private static final Duration HOUR = Duration.ofHours(1);

  /** The longest time between two looks at the store's health. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  private static final String CONTENT_TYPE = "application/atom+xml";

  private final Store store;
  private final Notices notices;
  private final ActivityLog activity;
  private final Intake intake;
  private final Timer timer;
  private final Pump pump;

  /** Guarded by itself, with the windows. */
  private final Deque<Notice> waiting = new ArrayDeque<>();

  private final Map<Notice.Type, Window> windows = new EnumMap<>(Notice.Type.class);

  private boolean refuses;

  /**
   * Whether topics may lack stored events: after a start, and until a refresh has been asked for.
   */
  private boolean stale = true;

  /** An hour of one type. */
  private static final class Window {
    private final Instant end;
    private int told;
    private int leftOut;

    Window(Instant end) {
      this.end = end;
    }
  }

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param executor for the store, which blocks
   */
  public OwnEvents(
      Store store, ActivityLog activity, Intake intake, Executor executor, Timer timer) {
    this.store = store;
    this.activity = activity;
    this.intake = intake;
    this.timer = timer;
    notices = store.notices();
    pump = new Pump("own-events", this::step, executor, timer);
  }

  /** Tells of each event from now on, and of the ones that a stop kept from being told. */
  public void start() {
    activity.onNotice(this::told);
    pump.start();
  }

  private void told(Notice notice) {
    synchronized (waiting) {
      Window window =
          windows.computeIfAbsent(notice.type(), any -> new Window(notice.at().plus(HOUR)));
      String more = "";
      if (!notice.at().isBefore(window.end)) {
        more = window.leftOut == 0 ? "" : " %d before it were left out.".formatted(window.leftOut);
        window = new Window(notice.at().plus(HOUR));
        windows.put(notice.type(), window);
      }
      if (window.told >= MAX_AN_HOUR || waiting.size() >= MAX_WAITING) {
        window.leftOut++;
        return;
      }
      window.told++;
      waiting.add(new Notice(notice.at(), notice.type(), notice.about(), notice.text() + more));
    }
    pump.wake();
  }

  private Optional<Instant> step() {
    Instant now = timer.clock().instant();
    watchStore();
    List<Notice> all;
    synchronized (waiting) {
      all = new ArrayList<>(waiting);
    }
    if (!all.isEmpty()) {
      notices.add(all.stream().map(OwnEvents::stored).toList()).join();
      synchronized (waiting) {
        all.forEach(waiting::remove);
      }
      stale = true;
    }
    if (stale) {
      notices.followed().forEach(topic -> intake.ping(topic, Via.PUBLISH).join());
      stale = false;
    }
    return Optional.of(now.plus(LOOK));
  }

  private void watchStore() {
    boolean before = refuses;
    refuses = store.health() instanceof StoreHealth.Refusing;
    if (refuses && !before && store.health() instanceof StoreHealth.Refusing why) {
      told(
          new Notice(
              why.since(),
              Notice.Type.STORE_TROUBLE,
              "",
              "The store takes no writes: %s.".formatted(why.reason())));
    }
  }

  private static Stored stored(Notice notice) {
    return new Stored(0, notice.at(), notice.type().label(), notice.about(), notice.text());
  }

  @Override
  public Optional<Document> find(String url) {
    if (!GatewayTopic.is(url)) {
      return Optional.empty();
    }
    Set<String> types = GatewayTopic.types(url);
    List<Entry> entries =
        notices.newest().stream()
            .filter(one -> types.isEmpty() || types.contains(one.type()))
            .map(OwnEvents::entry)
            .toList();
    Feed feed = Feed.bare(url, "Events of this gateway").withEntries(entries);
    return Optional.of(
        new Document(CONTENT_TYPE, SuperfeedrAtom.write(feed, Status.of(url), Instant.EPOCH)));
  }

  private static Entry entry(Stored one) {
    return new Entry(
        "gateway:event:" + one.id(),
        false,
        one.text(),
        one.at(),
        one.at(),
        Content.text(one.text()),
        null,
        one.about().isEmpty()
            ? List.of()
            : List.of(new Link(Link.ALTERNATE, one.about(), null, null, null)),
        List.of(one.type()),
        List.of(),
        null,
        List.of(),
        List.of(),
        "en",
        null);
  }

  @Override
  public void close() {
    pump.close();
  }
}
