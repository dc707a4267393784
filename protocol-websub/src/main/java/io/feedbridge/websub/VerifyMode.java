package io.feedbridge.websub;

/** When a PubSubHubbub 0.3 subscriber wants to be verified (0.3 §6.1, {@code hub.verify}). */
public enum VerifyMode {
  /** Before the hub answers the request: 204 then means verified. */
  SYNC,
  /** Verification after the hub has answered 202. */
  ASYNC
}
