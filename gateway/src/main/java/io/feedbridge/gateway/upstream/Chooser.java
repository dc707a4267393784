package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.schedule.Pump;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Change;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.Followings;
import io.feedbridge.gateway.store.PeerGateway;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.websub.RandomToken;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * Chooses how each feed is followed: the best of the ways it advertises that has not refused, else
 * polling alone. The old way is ended once the new one is live (rule S10).
 */
final class Chooser implements AutoCloseable {

  /** Feeds in one step. */
  static final int BATCH = 100;

  private final Store store;
  private final Clock clock;
  private final RandomGenerator random;
  private final Pump pump;

  /** How the URLs of the gateway itself begin. */
  private final String own;

  /**
   * A chooser.
   *
   * @param publicUrl of the gateway itself
   */
  Chooser(Store store, Executor executor, Timer timer, RandomGenerator random, URI publicUrl) {
    this.store = store;
    own = publicUrl + "/";
    this.clock = timer.clock();
    this.random = random;
    pump = new Pump("choices", this::step, executor, timer);
  }

  void start() {
    store.onChange(Change.FOLLOWING, pump::wake);
    pump.start();
  }

  private Optional<Instant> step() {
    List<Followings.Choice> choices = store.followings().toChoose(BATCH);
    choices.forEach(this::choose);
    return choices.size() == BATCH ? Optional.of(clock.instant()) : Optional.empty();
  }

  private void choose(Followings.Choice choice) {
    FollowedFeed feed = choice.feed();
    List<Following> begun = new ArrayList<>();
    Optional<Way> best =
        feed.followed() ? best(feed, choice.followings(), begun) : Optional.empty();
    Optional<Following> existing =
        best.flatMap(
            way -> choice.followings().stream().filter(f -> way.is(f) && !ending(f)).findFirst());
    best.filter(way -> existing.isEmpty()).map(way -> begin(feed, way)).ifPresent(begun::add);
    boolean live = existing.filter(following -> following.state().isLive()).isPresent();
    List<Following> ended = new ArrayList<>();
    for (Following other : choice.followings()) {
      boolean chosen = existing.filter(following -> following.id() == other.id()).isPresent();
      boolean bridges = other.state().isLive() && best.isPresent() && !live;
      if (!chosen && !bridges && !ending(other) && !pausing(other, feed)) {
        ended.add(other.with(Following.State.ENDING, clock.instant(), 0, "not wanted any more"));
      }
    }
    boolean pushed =
        choice.followings().stream()
            .anyMatch(following -> following.isReliedOn() && !isAmong(ended, following));
    if (feed.followed() && !pushed) {
      // First: once the choice is written nobody looks at the feed again.
      pollSooner(feed);
    }
    store.followings().choose(choice, begun, ended).join();
  }

  /**
   * The best way that will do. A way whose endpoint is demoted for all its feeds is begun as a
   * refused one, so that it is tried when that is over.
   */
  private Optional<Way> best(FollowedFeed feed, List<Following> followings, List<Following> begun) {
    for (Way way : ways(feed)) {
      boolean known = followings.stream().anyMatch(f -> way.is(f) && !ending(f));
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
            begin(feed, way)
                .with(
                    Following.State.REFUSED,
                    demoted.get(),
                    0,
                    "its endpoint fails for too many feeds"));
      } else if (!isRefused(way, followings)) {
        return Optional.of(way);
      }
    }
    return Optional.empty();
  }

  /** Through one whom the gateway tells of the feed it would be told nothing. */
  private boolean isSubscriber(Way way, FollowedFeed feed) {
    return PeerGateway.at(way.endpoint())
        .filter(peer -> store.subscriptions().anyOf(peer, feed.id()))
        .isPresent();
  }

  private static boolean isAmong(List<Following> ended, Following following) {
    return ended.stream().anyMatch(other -> other.id() == following.id());
  }

  /** Without push the feed is polled at its own pace, not at that of the backup poll. */
  private void pollSooner(FollowedFeed feed) {
    Instant soon = clock.instant().plus(feed.fetched().period());
    Instant planned = feed.nextFetchAt();
    if (planned != null && planned.isAfter(soon) && feed.fetched().failures() == 0) {
      store.feeds().postpone(feed.id(), soon).join();
    }
  }

  private static boolean ending(Following following) {
    return following.state() == Following.State.ENDING;
  }

  /** The memory that an endpoint refused is kept as long as it is advertised. */
  private boolean pausing(Following following, FollowedFeed feed) {
    return following.state() == Following.State.REFUSED
        && feed.followed()
        && ways(feed).stream().anyMatch(way -> way.is(following));
  }

  private Following begin(FollowedFeed feed, Way way) {
    return new Following(
        0,
        feed.id(),
        way.kind(),
        way.endpoint(),
        way.topic(),
        RandomToken.next(random),
        way.kind() == Following.Kind.WEBSUB ? RandomToken.next(random) : null,
        Following.State.REQUESTING,
        null,
        clock.instant(),
        0,
        null);
  }

  /**
   * The gateway's own hub and cloud are none: it would be told by itself of what it told itself.
   */
  private List<Way> ways(FollowedFeed feed) {
    return Way.of(feed.advertised(), feed.url()).stream()
        .filter(way -> !way.endpoint().startsWith(own))
        .toList();
  }

  private static boolean isRefused(Way way, List<Following> followings) {
    return followings.stream().anyMatch(f -> way.is(f) && f.state() == Following.State.REFUSED);
  }

  @Override
  public void close() {
    pump.close();
  }
}
