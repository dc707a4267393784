package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Content;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.RssWriter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.LongStream;

/**
 * A feed to test aggregators and readers against: it has a new item at a fixed period, and offers a
 * cloud and a hub. Its content depends on the time alone, so that none of it is stored.
 */
public final class TestFeed implements AutoCloseable {

  /** Where it is served. */
  public static final String PATH = "/test/feed.xml";

  private static final int ITEMS = 20;

  private final URI publicUrl;
  private final Duration period;
  private final Store store;
  private final Intake intake;
  private final Timer timer;
  private final Pump pump;

  /** The last item that subscribers were told of; only the pump's step touches it. */
  private long told;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param period how often it has a new item
   * @param executor for the pump, which blocks
   */
  public TestFeed(
      URI publicUrl, Duration period, Store store, Intake intake, Executor executor, Timer timer) {
    this.publicUrl = publicUrl;
    this.period = period;
    this.store = store;
    this.intake = intake;
    this.timer = timer;
    told = newest(timer.clock().instant());
    pump = new Pump("test-feed", this::step, executor, timer);
  }

  /** From now on the gateway tells the feed's subscribers of each new item. */
  public void start() {
    pump.start();
  }

  /** Its own URL, which is its topic. */
  public String url() {
    return publicUrl + PATH;
  }

  /** The feed as it is now. */
  public OwnFeed now() {
    long newest = newest(timer.clock().instant());
    List<Entry> entries =
        LongStream.range(0, Math.min(ITEMS, newest + 1)).mapToObj(i -> item(newest - i)).toList();
    Feed feed =
        new Feed(
            url(),
            "Feedbridge test feed",
            "A new item every " + period.toSeconds() + " seconds, to test aggregators against.",
            at(newest),
            "en",
            List.of(new Link(Link.ALTERNATE, publicUrl + "/", "text/html", null, null)),
            List.of(),
            entries,
            Hints.NONE,
            List.of());
    return new OwnFeed(RssWriter.write(feed, new BridgedUrls(publicUrl).offer(url())), at(newest));
  }

  private Entry item(long number) {
    String text = "This is item %d, of %s.".formatted(number, at(number));
    return new Entry(
        url() + "?item=" + number,
        false,
        "Item " + number,
        at(number),
        at(number),
        new Content("text", text, null),
        null,
        List.of(),
        List.of(),
        List.of(),
        null,
        List.of(),
        List.of(),
        null,
        null);
  }

  private long newest(Instant now) {
    return now.toEpochMilli() / period.toMillis();
  }

  private Instant at(long number) {
    return Instant.ofEpochMilli(number * period.toMillis());
  }

  private Optional<Instant> step() {
    long newest = newest(timer.clock().instant());
    if (newest > told && store.feeds().byTopic(url()).filter(FollowedFeed::followed).isPresent()) {
      intake.ping(url(), Via.PUBLISH).join();
    }
    told = newest;
    return Optional.of(at(newest + 1));
  }

  @Override
  public void close() {
    pump.close();
  }
}
