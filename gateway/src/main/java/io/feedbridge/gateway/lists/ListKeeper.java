package io.feedbridge.gateway.lists;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.ListBudget;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.sql.Lists;
import io.feedbridge.gateway.store.sql.Lists.Member;
import io.feedbridge.gateway.store.sql.Lists.Unsettled;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins and ends to follow the feeds of lists, so that exactly the feeds are followed that stand
 * in a list now. The lists take turns, a few feeds at a time, between which other writes go.
 */
public final class ListKeeper implements AutoCloseable {

  /** Feeds that begin, or end, in one transaction. */
  static final int CHUNK = 100;

  /** Topics that are read at once. */
  private static final int PAGE = 1_000;

  /** A follower that comes to a list or leaves it is seen within this time. */
  private static final Duration LOOK = Duration.ofSeconds(2);

  /** After this time feeds are considered anew that were refused for want of room. */
  private static final Duration RETRY = Duration.ofMinutes(10);

  private static final Logger log = LoggerFactory.getLogger(ListKeeper.class);

  private final Store store;
  private final Lists lists;
  private final BridgedUrls bridges;
  private final Policies policies;
  private final Timer timer;
  private final Pump pump;

  private final ListBudget budget;

  /** Lists that are held back, for the log; only the pump's step touches it. */
  private final Set<Long> held = new HashSet<>();

  /** Feeds that are followed for lists; negative before it is known. */
  private volatile long followed = -1;

  /** Whether the policies of this start were applied; only the pump's step touches it. */
  private boolean considered;

  private Instant retryAt = Instant.MIN;

  /**
   * Wires the part; {@link #start} starts it.
   *
   * @param bridges the URLs of bridged feeds, each of which stands for the feed itself
   * @param executor for the pump, which blocks
   */
  public ListKeeper(
      Store store, BridgedUrls bridges, Policies policies, Executor executor, Timer timer) {
    this.store = store;
    lists = store.lists();
    this.bridges = bridges;
    this.policies = policies;
    this.timer = timer;
    budget = new ListBudget(timer.clock());
    pump = new Pump("lists", this::step, executor, timer);
  }

  /** Begins to follow the feeds of lists. */
  public void start() {
    store.onChange(Change.FOLLOWING, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    Instant begun = timer.clock().instant();
    if (!considered) {
      consider();
      considered = true;
      retryAt = begun.plus(RETRY);
    } else if (lists.any() && !begun.isBefore(retryAt)) {
      lists.retry().join();
      retryAt = begun.plus(RETRY);
    }
    List<Unsettled> unsettled = lists.unsettled(policies.trackers() == TrackerPolicy.OPEN);
    boolean more = false;
    for (Unsettled list : unsettled) {
      // Each list waits for its commits, and a stop of the gateway waits for this step.
      if (pump.isClosed()) {
        break;
      }
      more |= settle(list);
    }
    if (!unsettled.isEmpty() || followed < 0) {
      followed = lists.held();
    }
    Instant now = timer.clock().instant();
    return Optional.of(more ? now : now.plus(LOOK));
  }

  /** Whether a list may begin some feeds; it is told once until it may again. */
  private boolean hasBudget(Unsettled list, int feeds) {
    Optional<Duration> wait = budget.take(list.listId(), feeds);
    if (wait.isEmpty()) {
      held.remove(list.listId());
    } else if (held.add(list.listId())) {
      log.atWarn()
          .addKeyValue("list", list.listId())
          .addKeyValue("seconds", wait.get().toSeconds())
          .log("The feeds of a list change too often: further ones begin later");
    }
    return wait.isEmpty();
  }

  /** The patterns of topics may be others than before the start. */
  private void consider() {
    Map<Long, String> refused = new HashMap<>();
    long after = 0;
    Map<Long, String> page;
    do {
      page = lists.topics(after, PAGE);
      for (Map.Entry<Long, String> feed : page.entrySet()) {
        policies.topicRefusal(feed.getValue()).ifPresent(why -> refused.put(feed.getKey(), why));
        after = feed.getKey();
      }
    } while (page.size() == PAGE);
    lists.reconsider(refused).join();
  }

  /** Does one turn of a list; returns whether it may need another one. */
  private boolean settle(Unsettled list) {
    if (lists.end(list, CHUNK).join() > 0) {
      return true;
    }
    List<Member> members = list.sponsored() ? lists.toBegin(list.listId(), CHUNK) : List.of();
    if (members.isEmpty()) {
      lists.settled(list).join();
      return false;
    }
    if (!hasBudget(list, members.size())) {
      return false;
    }
    Map<String, String> topics = new HashMap<>();
    Map<String, String> refused = new HashMap<>();
    for (Member member : members) {
      try {
        String topic = topic(member.url());
        policies
            .topicRefusal(topic)
            .ifPresentOrElse(
                why -> refused.put(member.url(), why), () -> topics.put(member.url(), topic));
      } catch (BadHubRequestException e) {
        refused.put(member.url(), e.reason());
      } catch (BadBridgeException e) {
        refused.put(member.url(), e.reason());
      }
    }
    lists.begin(list.listId(), topics, refused, timer.clock().instant()).join();
    log.atInfo()
        .addKeyValue("list", list.listId())
        .addKeyValue("feeds", topics.size())
        .addKeyValue("refused", refused.size())
        .log("Feeds of a list are followed");
    return true;
  }

  private String topic(String url) throws BadHubRequestException, BadBridgeException {
    String topic = TopicUrl.normalize(url);
    return bridges.find(topic).map(BridgedUrl::topic).orElse(topic);
  }

  /** Feeds that are followed for lists, each counted for each list, for the gauge. */
  public long followed() {
    return Math.max(0, followed);
  }

  /** Settles no further list, and waits for the step under way. */
  @Override
  public void close() {
    pump.close();
  }
}
