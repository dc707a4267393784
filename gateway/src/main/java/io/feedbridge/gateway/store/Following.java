package io.feedbridge.gateway.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One upstream subscription of the gateway's own, at a hub or a cloud.
 *
 * @param endpoint the hub's URL, or the cloud's registration URL
 * @param topic the URL by which that upstream knows the feed
 * @param token the unguessable last segment of the callback
 * @param secret the key that the hub signs with; absent for clouds
 * @param leaseEndsAt when it lapses unless renewed, once active
 * @param nextActionAt when the next request to the endpoint, or the end of waiting for it, is due
 * @param attempts requests in a row that came to nothing
 * @param reason why it is in this state, for people
 * @param trust how far it is trusted
 */
public record Following(
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

  /** One of which nothing is known yet. */
  public Following(
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

  /** The protocol spoken with the endpoint. */
  public enum Kind {
    WEBSUB,
    RSSCLOUD
  }

  /**
   *
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
    /** The endpoint will not, for now. */
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

  /** The same following after a step. */
  public Following with(State state, Instant nextActionAt, int attempts, @Nullable String reason) {
    return with(state, leaseEndsAt, nextActionAt, attempts, reason, trust);
  }

  /** Whether pushes may arrive through it, and polls need only watch over it. */
  public boolean isReliedOn() {
    return state.isLive() && trust.demotions() == 0;
  }

  /** The same following, trusted otherwise. */
  public Following trusted(Trust other) {
    return with(state, leaseEndsAt, nextActionAt, attempts, reason, other);
  }

  /** The same following, of whose hub no signature is expected any more; asked again at once. */
  public Following withoutSecret(Instant now) {
    return new Following(
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

  /** The same following with a lease. */
  public Following withLease(Instant leaseEndsAt) {
    return with(state, leaseEndsAt, nextActionAt, attempts, reason, trust);
  }

  private Following with(
      State newState,
      @Nullable Instant newLeaseEndsAt,
      Instant newNextActionAt,
      int newAttempts,
      @Nullable String newReason,
      Trust newTrust) {
    return new Following(
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
