package io.feedbridge.gateway.intake;

import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.websub.Signature;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Takes pings and deliveries. Each future completes only once the work is on disk, so whoever
 * answers on its completion acknowledges nothing that a crash could lose; it fails if the work
 * could not be written. Safe for use by several threads, event loops included.
 */
public final class Intake {

  private final Store store;
  private final Work work;
  private final Executor blocking;
  private final Clock clock;
  private final Meters meters;

  /**
   * Wires the stage.
   *
   * @param blocking where the store is read
   */
  public Intake(Store store, Work work, Executor blocking, Clock clock, Meters meters) {
    this.store = store;
    this.work = work;
    this.blocking = blocking;
    this.clock = clock;
    this.meters = meters;
  }

  /** What became of a message from an upstream hub or cloud. */
  public enum Receipt {
    /** It is durable, or rightly needs nothing to be done. */
    ACCEPTED,
    /** Its signature is missing or wrong; it counts as a light ping, which is durable. */
    NOT_BELIEVED,
    /** Nothing is subscribed under this callback. */
    UNWANTED
  }

  /**
   * A publisher says that a topic changed.
   *
   * @param topic normalised
   * @return whether anybody follows it; where nobody does, nothing is fetched
   */
  public CompletableFuture<Boolean> ping(String topic, Via via) {
    return CompletableFuture.supplyAsync(() -> store.feeds().byTopic(topic), blocking)
        .thenCompose(
            feed -> {
              if (feed.filter(FollowedFeed::followed).isEmpty()) {
                meters.ping(via, Meters.Ping.UNKNOWN_FEED);
                return CompletableFuture.completedFuture(false);
              }
              meters.ping(via, Meters.Ping.ACCEPTED);
              return light(feed.get().id(), via).thenApply(done -> true);
            });
  }

  /**
   * An upstream cloud says that a feed changed.
   *
   * @param token of the callback that it called
   * @param topic normalised, as the cloud named it
   */
  public CompletableFuture<Receipt> notification(String token, String topic) {
    return following(token, Following.Kind.RSSCLOUD)
        .thenCompose(
            found -> {
              if (found.isEmpty() || !found.get().topic().equals(topic)) {
                return done(Receipt.UNWANTED);
              }
              Following following = found.get();
              // Clouds test a handler before they register it. But it may also be the first real
              // notification, which overtook the answer to the registration.
              if (!following.state().isLive() && following.state() != Following.State.REQUESTED) {
                return done(Receipt.UNWANTED);
              }
              meters.ping(Via.RSSCLOUD, Meters.Ping.ACCEPTED);
              return light(following.feedId(), Via.RSSCLOUD).thenApply(done -> Receipt.ACCEPTED);
            });
  }

  /**
   * An upstream hub delivers. Believed only if it is signed with the secret that was agreed; else
   * it is a light ping (rule S7, DESIGN §5).
   *
   * @param signature the {@code X-Hub-Signature} header
   * @param body not changed afterwards
   */
  public CompletableFuture<Receipt> delivery(
      String token, @Nullable String signature, @Nullable String contentType, byte[] body) {
    // Not where the caller is, which may be an event loop: a signature over a long body takes time.
    return following(token, Following.Kind.WEBSUB)
        .thenComposeAsync(
            found -> {
              if (found.isEmpty() || !found.get().state().isLive()) {
                return done(Receipt.UNWANTED);
              }
              Following following = found.get();
              if (following.secret() == null) {
                meters.ping(Via.WEBSUB, Meters.Ping.ACCEPTED);
                return light(following.feedId(), Via.WEBSUB).thenApply(done -> Receipt.ACCEPTED);
              }
              if (!Signature.verify(signature, following.secret(), body)) {
                meters.ping(Via.WEBSUB, Meters.Ping.BAD_SIGNATURE);
                return store
                    .upstreams()
                    .signatureFailed(following.kind(), following.endpoint(), clock.instant())
                    .thenCompose(counted -> light(following.feedId(), Via.WEBSUB))
                    .thenApply(done -> Receipt.NOT_BELIEVED);
              }
              meters.ping(Via.WEBSUB, Meters.Ping.ACCEPTED);
              Instant now = clock.instant();
              return work.add(
                      new WorkItem.Fat(following.feedId(), Via.WEBSUB, now, contentType, body))
                  .thenApply(done -> Receipt.ACCEPTED);
            },
            blocking);
  }

  private CompletableFuture<Optional<Following>> following(String token, Following.Kind kind) {
    return CompletableFuture.supplyAsync(
        () -> store.followings().byToken(token).filter(following -> following.kind() == kind),
        blocking);
  }

  private CompletableFuture<Void> light(long feedId, Via via) {
    return work.add(new WorkItem.Light(feedId, via, clock.instant()));
  }

  private static CompletableFuture<Receipt> done(Receipt receipt) {
    return CompletableFuture.completedFuture(receipt);
  }
}
