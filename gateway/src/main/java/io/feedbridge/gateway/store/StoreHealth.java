package io.feedbridge.gateway.store;

import java.time.Instant;

/** Whether the store takes writes. */
public sealed interface StoreHealth {

  /** As far as it knows: the last write, if there was one, got through. */
  StoreHealth WRITABLE = new Writable();

  /** It takes writes. */
  record Writable() implements StoreHealth {}

  /**
   * It refuses every write, at once; what can be read still is.
   *
   * @param reason in words, for the operator
   * @param lasting whether a restart is needed; else it takes writes again as soon as it can
   */
  record Refusing(Instant since, String reason, boolean lasting) implements StoreHealth {}
}
