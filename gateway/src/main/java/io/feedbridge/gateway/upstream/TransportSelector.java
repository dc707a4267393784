package io.feedbridge.gateway.upstream;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.StoreException;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.Upstreams;
import io.feedbridge.gateway.store.subscriptions.PeerGateway;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses how each feed is followed: the best of the ways it advertises that has not refused, else
 * polling alone. The old way is ended once the new one is live (rule S10).
 */
final class TransportSelector implements AutoCloseable {

  /** Feeds in one step. */
  static final int BATCH = 100;

  /** When a choice that failed is tried again. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMinutes(1);

  /** When a subscription is renewed at the latest since other gateways are behind this one. */
  static final Duration NEWS_WAIT = Duration.ofSeconds(2);

  /** Of the rest of a short lease, the part after which it is. */
  private static final int PARTS_OF_LEASE = 10;

  /** Demotions that are remembered as noted; another one may be noted again. */
  static final int MAX_NOTED = 10_000;

  private static final Logger log = LoggerFactory.getLogger(TransportSelector.class);

  private final Cache<Long, Instant> notedDemotions =
      Caffeine.newBuilder().maximumSize(MAX_NOTED).build();

  private final Store store;
  private final UpstreamLog steps;
  private final ToldPaths paths;
  private final Clock clock;
  private final RandomGenerator random;
  private final Pump pump;

  /** How the URLs of the gateway itself begin, after the scheme. */
  private final String own;

  /**
   * A chooser.
   *
   * @param publicUrl of the gateway itself
   */
  TransportSelector(
      Store store,
      UpstreamLog steps,
      ToldPaths paths,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      URI publicUrl) {
    this.store = store;
    this.steps = steps;
    this.paths = paths;
    own = afterScheme(publicUrl + "/");
    this.clock = timer.clock();
    this.random = random;
    pump = new Pump("choices", this::step, executor, timer);
  }

  void start() {
    store.onChange(Change.FOLLOWING, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    List<UpstreamSubscriptions.Choice> choices = store.upstreamSubscriptions().toChoose(BATCH);
    boolean all = true;
    for (UpstreamSubscriptions.Choice choice : choices) {
      // Each choice waits for its commit, and a stop of the gateway waits for this step.
      if (pump.isClosed()) {
        break;
      }
      all &= isChosen(choice);
    }
    if (!all) {
      return Optional.of(clock.instant().plus(PAUSE_AFTER_FAILURE));
    }
    return choices.size() == BATCH ? Optional.of(clock.instant()) : Optional.empty();
  }

  /** A feed whose choice fails does not keep the others from theirs, unless the store fails. */
  private boolean isChosen(UpstreamSubscriptions.Choice choice) {
    try {
      choose(choice);
      return true;
    } catch (RuntimeException e) {
      if (StoreException.isGeneral(e)) {
        throw e;
      }
      log.atError()
          .addKeyValue("feed", choice.feed().topic())
          .addKeyValue("again", PAUSE_AFTER_FAILURE)
          .setCause(e)
          .log("A feed's way could not be chosen");
      return false;
    }
  }

  private void choose(UpstreamSubscriptions.Choice choice) {
    FollowedFeed feed = choice.feed();
    List<UpstreamSubscription> begun = new ArrayList<>();
    Optional<Transport> best =
        feed.followed() ? best(feed, choice.upstreamSubscriptions(), begun) : Optional.empty();
    Optional<UpstreamSubscription> existing =
        best.flatMap(
            way ->
                choice.upstreamSubscriptions().stream()
                    .filter(f -> way.is(f) && !ending(f))
                    .findFirst());
    best.filter(way -> existing.isEmpty())
        .map(way -> way.begin(feed.id(), random, clock.instant()))
        .ifPresent(begun::add);
    existing.ifPresent(this::renewSoon);
    boolean live = existing.filter(following -> following.state().isLive()).isPresent();
    List<UpstreamSubscription> ended = new ArrayList<>();
    for (UpstreamSubscription other : choice.upstreamSubscriptions()) {
      boolean chosen = existing.filter(following -> following.id() == other.id()).isPresent();
      boolean bridges = other.state().isLive() && best.isPresent() && !live;
      if (!chosen && !bridges && !ending(other) && !pausing(other, feed)) {
        ended.add(
            other.with(UpstreamSubscription.State.ENDING, clock.instant(), 0, "no longer needed"));
      }
    }
    boolean pushed =
        choice.upstreamSubscriptions().stream()
            .anyMatch(following -> following.isReliedOn() && !isAmong(ended, following));
    if (feed.followed() && !pushed) {
      // The poll is scheduled first: once the choice is written no pass looks at the feed again.
      pollSooner(feed);
    }
    store.upstreamSubscriptions().choose(choice, begun, ended).join();
    choice.upstreamSubscriptions().forEach(this::noteDemotion);
    ended.forEach(following -> steps.note(following, true, "ended: " + following.reason()));
    if (feed.followed() && best.isEmpty()) {
      choice.upstreamSubscriptions().stream()
          .filter(following -> following.state() == UpstreamSubscription.State.REFUSED)
          .findFirst()
          .ifPresent(
              following ->
                  steps.note(
                      following,
                      false,
                      "the feed is polled instead until %s: %s"
                          .formatted(following.nextActionAt(), following.reason())));
    }
  }

  /** Recording a poll demotes, which this stage finds when it chooses anew. */
  private void noteDemotion(UpstreamSubscription following) {
    String reason = String.valueOf(following.reason());
    boolean demoted =
        following.state() == UpstreamSubscription.State.REFUSED
            && (reason.equals(Upstreams.MISSED) || reason.equals(Upstreams.FAILS));
    Instant until = following.nextActionAt();
    if (demoted && !until.equals(notedDemotions.asMap().put(following.id(), until))) {
      log.atInfo()
          .addKeyValue("feed", following.feedId())
          .addKeyValue("endpoint", following.endpoint())
          .addKeyValue("until", until)
          .addKeyValue("reason", reason)
          .log("An upstream subscription is demoted");
      steps.demoted(following, "until %s: %s".formatted(until, reason));
    }
  }

  /**
   * Renews a subscription soon that was made when other gateways were behind this one. Not at once,
   * and each at a time of its own: of gateways in a ring that tell it in the same moment all are
   * denied, where one would do.
   */
  private void renewSoon(UpstreamSubscription following) {
    if (following.state() != UpstreamSubscription.State.ACTIVE || !paths.areOld(following)) {
      return;
    }
    Instant now = clock.instant();
    Instant leaseEnds = following.leaseEndsAt();
    Duration longest =
        leaseEnds == null ? NEWS_WAIT : Duration.between(now, leaseEnds).dividedBy(PARTS_OF_LEASE);
    Duration wait = longest.compareTo(NEWS_WAIT) < 0 ? longest : NEWS_WAIT;
    Instant soon = now.plusMillis((long) (wait.toMillis() * (1 + random.nextDouble()) / 2));
    if (soon.isBefore(following.nextActionAt())) {
      store
          .upstreamSubscriptions()
          .move(
              UpstreamSubscription.State.ACTIVE,
              following.with(
                  UpstreamSubscription.State.ACTIVE,
                  soon,
                  following.attempts(),
                  following.reason()))
          .join();
    }
  }

  /**
   * The best way that will do. A way whose endpoint is demoted for all its feeds is begun as a
   * refused one, so that it is tried when that is over.
   */
  private Optional<Transport> best(
      FollowedFeed feed,
      List<UpstreamSubscription> upstreamSubscriptions,
      List<UpstreamSubscription> begun) {
    for (Transport way : ways(feed)) {
      boolean known = upstreamSubscriptions.stream().anyMatch(f -> way.is(f) && !ending(f));
      // One that was begun already is for the other gateway to refuse.
      if (!known && isSubscriber(way, feed)) {
        continue;
      }
      Optional<Instant> demoted =
          known
              ? Optional.empty()
              : store.upstreams().demotedUntil(way.kind(), way.endpoint(), clock.instant());
      if (demoted.isPresent()) {
        begun.add(
            way.begin(feed.id(), random, clock.instant())
                .with(
                    UpstreamSubscription.State.REFUSED,
                    demoted.get(),
                    0,
                    "its endpoint fails for too many feeds"));
      } else if (!isRefused(way, upstreamSubscriptions)) {
        return Optional.of(way);
      }
    }
    return Optional.empty();
  }

  /** A peer gateway that subscribes to the feed here would tell this gateway nothing new of it. */
  private boolean isSubscriber(Transport way, FollowedFeed feed) {
    return PeerGateway.at(way.endpoint())
        .filter(peer -> store.subscriptions().anyOf(peer, feed.id()))
        .isPresent();
  }

  private static boolean isAmong(List<UpstreamSubscription> ended, UpstreamSubscription following) {
    return ended.stream().anyMatch(other -> other.id() == following.id());
  }

  /** Without push the feed is polled at its own pace, not at that of the backup poll. */
  private void pollSooner(FollowedFeed feed) {
    Instant soon = feed.pace().asked().allowed(clock.instant().plus(feed.fetched().period()));
    Instant planned = feed.nextFetchAt();
    if (planned != null && planned.isAfter(soon) && feed.fetched().failures() == 0) {
      store.feeds().postpone(feed.id(), soon).join();
    }
  }

  private static boolean ending(UpstreamSubscription following) {
    return following.state() == UpstreamSubscription.State.ENDING;
  }

  /** The memory that an endpoint refused is kept as long as it is advertised. */
  private boolean pausing(UpstreamSubscription following, FollowedFeed feed) {
    return following.state() == UpstreamSubscription.State.REFUSED
        && feed.followed()
        && ways(feed).stream().anyMatch(way -> way.is(following));
  }

  /**
   * The transports of a feed except the gateway's own hub and cloud, through which the gateway
   * would only hear its own notifications.
   */
  private List<Transport> ways(FollowedFeed feed) {
    return Transport.of(feed).stream()
        .filter(way -> !afterScheme(way.endpoint()).startsWith(own))
        .toList();
  }

  private static String afterScheme(String url) {
    return url.substring(url.indexOf(':') + 1);
  }

  private static boolean isRefused(
      Transport way, List<UpstreamSubscription> upstreamSubscriptions) {
    return upstreamSubscriptions.stream()
        .anyMatch(f -> way.is(f) && f.state() == UpstreamSubscription.State.REFUSED);
  }

  @Override
  public void close() {
    pump.close();
  }
}
