package io.feedbridge.gateway.relay;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.guard.PublicFeeds;
import io.feedbridge.gateway.guard.RelayTarget;
import io.feedbridge.gateway.log.LogFollower;
import io.feedbridge.gateway.log.LogFollowers;
import io.feedbridge.gateway.log.LogSink;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.log.Log;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.Store;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Tells hubs, clouds and ping services of changes, each from its own durable place in the log: a
 * ping is sent again after an end of the process, and seldom twice. A new target begins with the
 * changes to come. Thread-safe.
 */
public final class RelayedPings {

  /** The beginning of the names of their consumers. */
  static final String CONSUMERS = "relay:";

  private final Parts parts;
  private final LogFollowers followers;
  private final List<Relay> relays;
  private final List<LogFollower> following = new ArrayList<>();

  /**
   * The parts of a gateway by which it tells.
   *
   * @param publicFeeds the feeds of which others may be told
   * @param blocking where the store is read
   */
  public record Parts(
      URI publicUrl,
      Store store,
      PublicFeeds publicFeeds,
      PassedPings passed,
      Sender client,
      ActivityLog activity,
      Executor blocking,
      Timer timer) {

    boolean isOwn(String topic) {
      return topic.startsWith(publicUrl + "/");
    }
  }

  /** Wires the part; {@link #start} starts it. */
  public RelayedPings(List<RelayTarget> targets, LogFollowers followers, Parts parts) {
    this.parts = parts;
    this.followers = followers;
    relays = targets.stream().map(target -> new Relay(target, parts)).toList();
  }

  /** A target as it stands. */
  public record Standing(
      RelayTarget target,
      long sent,
      long refused,
      long behind,
      @Nullable Instant lastAt,
      @Nullable String problem) {}

  /** Begins to tell, and forgets the places of targets that are named no more. Blocks. */
  public void start() {
    List<String> named = relays.stream().map(relay -> consumer(relay.target())).toList();
    parts.store.consumers().all().stream()
        .filter(one -> one.name().startsWith(CONSUMERS) && !named.contains(one.name()))
        .forEach(one -> parts.store.consumers().remove(one.id()).join());
    for (Relay relay : relays) {
      LogConsumer consumer =
          parts
              .store
              .consumers()
              .create(consumer(relay.target()), parts.timer.clock().instant())
              .join();
      synchronized (following) {
        following.add(followers.follow(consumer, Log.Scope.ALL, (LogSink) relay));
      }
    }
  }

  private static String consumer(RelayTarget target) {
    return CONSUMERS + target.protocol().word() + ":" + target.url();
  }

  /** All targets, in the order of their rules. */
  public List<Standing> standings() {
    long head = parts.store.log().extent().head();
    List<Standing> all = new ArrayList<>();
    synchronized (following) {
      for (int i = 0; i < following.size(); i++) {
        Relay.Standing now = relays.get(i).standing();
        long behind = Math.max(0, head - following.get(i).position());
        all.add(
            new Standing(
                relays.get(i).target(),
                now.sent(),
                now.refused(),
                behind,
                now.lastAt(),
                now.problem()));
      }
    }
    return all;
  }

  /** Pings that targets took since the start. */
  public long sent() {
    return relays.stream().mapToLong(relay -> relay.standing().sent()).sum();
  }

  /** Pings that targets refused since the start. */
  public long refused() {
    return relays.stream().mapToLong(relay -> relay.standing().refused()).sum();
  }

  /** Targets whose newest ping failed. */
  public long failing() {
    return relays.stream().filter(relay -> relay.standing().problem() != null).count();
  }
}
