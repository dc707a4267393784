package io.feedbridge.gateway.store.upstream;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One upstream subscription of the gateway's own, at a hub or a cloud.
 *
 * @param endpoint the hub's URL, or the cloud's registration URL
 * @param topic the URL by which that upstream knows the feed, as far as it has said so
 * @param token the unguessable last segment of the callback
 * @param secret the key that the hub signs with; absent for clouds
 * @param leaseEndsAt when it lapses unless renewed, once active
 * @param nextActionAt when the next request to the endpoint, or the end of waiting for it, is due
 * @param attempts requests in a row that failed
 * @param reason why it is in this state, for operators
 * @param trust how far it is trusted
 */
public record UpstreamSubscription(
    long id,
    long feedId,
    Kind kind,
    String endpoint,
    String topic,
    String token,
    @Nullable String secret,
    State state,
    @Nullable Instant leaseEndsAt,
    Instant nextActionAt,
    int attempts,
    @Nullable String reason,
    Trust trust) {

  /** A new upstream subscription, without a record of its deliveries. */
  public UpstreamSubscription(
      long id,
      long feedId,
      Kind kind,
      String endpoint,
      String topic,
      String token,
      @Nullable String secret,
      State state,
      @Nullable Instant leaseEndsAt,
      Instant nextActionAt,
      int attempts,
      @Nullable String reason) {
    this(
        id,
        feedId,
        kind,
        endpoint,
        topic,
        token,
        secret,
        state,
        leaseEndsAt,
        nextActionAt,
        attempts,
        reason,
        Trust.NEW);
  }

  /** The host of the endpoint, see {@link CallbackHost}. */
  public String host() {
    return CallbackHost.of(endpoint);
  }

  /** The protocol spoken with the endpoint. */
  public enum Kind {
    WEBSUB,
    RSSCLOUD
  }

  /**
   * The state of an upstream subscription.
   *
   * <pre>
   *   REQUESTING ──sent──▶ REQUESTED ──confirmed──▶ ACTIVE ──renewal due──▶ RENEWING ──▶ ACTIVE
   *       │                    │                      │                         │
   *       └──────refused, denied, never confirmed, lease ran out──▶ REFUSED ◀───┘
   *   any of them ──feed not wanted, or moved──▶ ENDING ──told──▶ (row removed)
   *   REFUSED ──pause over──▶ REQUESTING
   * </pre>
   */
  public enum State {
    /** The request is to be sent. */
    REQUESTING,
    /** Sent; the endpoint has not confirmed yet. */
    REQUESTED,
    /** Confirmed; pushes are expected. */
    ACTIVE,
    /** Active still, with the renewal sent. */
    RENEWING,
    /** The endpoint refused, or failed; it is requested again later. */
    REFUSED,
    /** To be ended at the endpoint. */
    ENDING;

    /** Whether nothing is asked of the endpoint any more, for now or for good. */
    public boolean isOver() {
      return this == REFUSED || this == ENDING;
    }

    /** Whether pushes may arrive through it. */
    public boolean isLive() {
      return this == ACTIVE || this == RENEWING;
    }
  }

  /** The same subscription after a step. */
  public UpstreamSubscription with(
      State state, Instant nextActionAt, int attempts, @Nullable String reason) {
    return with(state, leaseEndsAt, nextActionAt, attempts, reason, trust);
  }

  /**
   * Whether the upstream knows the feed by this URL.
   *
   * @param url normalised
   */
  public boolean isNamed(String url) {
    try {
      return topic.equals(url) || TopicUrl.normalize(topic).equals(url);
    } catch (BadHubRequestException noTopic) {
      return false;
    }
  }

  /** The same subscription by another URL of the feed. */
  public UpstreamSubscription named(String otherTopic) {
    return new UpstreamSubscription(
        id,
        feedId,
        kind,
        endpoint,
        otherTopic,
        token,
        secret,
        state,
        leaseEndsAt,
        nextActionAt,
        attempts,
        reason,
        trust);
  }

  /** Whether pushes may arrive through it, and polls need only watch over it. */
  public boolean isReliedOn() {
    return state.isLive() && trust.demotions() == 0;
  }

  /** The same subscription with another trust. */
  public UpstreamSubscription trusted(Trust other) {
    return with(state, leaseEndsAt, nextActionAt, attempts, reason, other);
  }

  /**
   * The same subscription without a secret, because its hub never signs; requested again at once.
   */
  public UpstreamSubscription withoutSecret(Instant now) {
    return new UpstreamSubscription(
        id,
        feedId,
        kind,
        endpoint,
        topic,
        token,
        null,
        State.ACTIVE,
        leaseEndsAt,
        now,
        0,
        "the hub never signs",
        trust);
  }

  /** The same subscription with a lease. */
  public UpstreamSubscription withLease(Instant leaseEndsAt) {
    return with(state, leaseEndsAt, nextActionAt, attempts, reason, trust);
  }

  private UpstreamSubscription with(
      State newState,
      @Nullable Instant newLeaseEndsAt,
      Instant newNextActionAt,
      int newAttempts,
      @Nullable String newReason,
      Trust newTrust) {
    return new UpstreamSubscription(
        id,
        feedId,
        kind,
        endpoint,
        topic,
        token,
        secret,
        newState,
        newLeaseEndsAt,
        newNextActionAt,
        newAttempts,
        newReason,
        newTrust);
  }

  @Override
  public String toString() {
    return "Following[%d, feed %d, %s %s, %s]".formatted(id, feedId, kind, endpoint, state);
  }
}
