package io.feedbridge.gateway.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Hubs and clouds as wholes, and their records of success. The transaction that records entries
 * counts how many of them came first by push and how many by poll.
 */
public interface Upstreams {

  /** Why an upstream subscription is demoted when polls find its entries first. */
  String MISSED = "polls found entries that it had not pushed";

  /** Why all subscriptions at an endpoint are demoted. */
  String FAILS = "it fails for too many of its feeds";

  /** An endpoint that fails for one feed in this many, or for more, is no longer trusted. */
  int TRUSTED_SHARE = 5;

  /** Feeds that must be followed at an endpoint for it to be judged. */
  int JUDGED_FROM = 5;

  /** Records a delivery that was not signed as agreed. */
  CompletableFuture<Void> signatureFailed(UpstreamSubscription.Kind kind, String url, Instant now);

  /** When an endpoint will be trusted again; empty for a trusted endpoint. */
  Optional<Instant> demotedUntil(UpstreamSubscription.Kind kind, String url, Instant now);

  /** How a cloud took the last registration; {@link Accepted#NOTHING} if that is not known. */
  Accepted accepted(String cloud);

  /** Remembers how a cloud took a registration, or forgets it. */
  CompletableFuture<Void> accepted(String cloud, Accepted how, Instant now);

  /**
   * How a cloud took a registration, which is tried first at the next one.
   *
   * @param protocol the value of {@code protocol} that the cloud took, by its name on the wire;
   *     absent if it is not known
   * @param place the URL behind the cloud's redirects that answered; absent if the cloud answered
   *     at its own URL
   */
  record Accepted(@Nullable String protocol, @Nullable String place) {

    /** Of a cloud that took no registration yet. */
    public static final Accepted NOTHING = new Accepted(null, null);
  }

  /**
   * The pauses of hubs that were busy or failed at last, the pause that ends last first. Some may
   * have ended.
   */
  List<Pause> pauses(int limit);

  /** Remembers the pause of a hub. */
  CompletableFuture<Void> paused(Pause pause, Instant now);

  /** Forgets the pauses of the hubs at a host, as {@link CallbackHost} names it. */
  CompletableFuture<Void> resumed(String host);

  /**
   * A pause of a hub.
   *
   * @param hub its URL
   * @param length the last pause, which the next one doubles
   */
  record Pause(String hub, Instant until, Duration length) {}

  /** The tallies of all hubs and clouds, in the order of their ids, after the given id. */
  List<Tally> list(long after, int limit);

  /**
   * The record of success of one hub or cloud.
   *
   * @param feeds feeds that are followed through it, or were to be
   * @param firstByPush new entries that it pushed before a poll found them
   * @param firstByPoll new entries that a poll found although they should have been pushed
   * @param signatureFailures deliveries that were not signed as agreed
   * @param verificationFailures subscriptions that it refused, never confirmed or let lapse
   * @param lastRefusal the reason of the newest upstream subscription there that is refused at
   *     present
   * @param demotedUntil when it is trusted again; absent while it is trusted
   * @param since when it became known, or was demoted
   * @param pausedUntil the end of its last pause, which may be over; absent once it has answered
   * @param accepted how it took its last registration, if it is a cloud
   */
  public record Tally(
      long id,
      UpstreamSubscription.Kind kind,
      String url,
      long feeds,
      long firstByPush,
      long firstByPoll,
      long signatureFailures,
      long verificationFailures,
      @Nullable String lastRefusal,
      @Nullable Instant lastDeliveryAt,
      @Nullable Instant demotedUntil,
      Instant since,
      @Nullable Instant pausedUntil,
      Accepted accepted) {}
}
