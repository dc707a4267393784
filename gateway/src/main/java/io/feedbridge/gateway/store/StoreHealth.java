package io.feedbridge.gateway.store;

import java.time.Instant;

/** Whether the store takes writes. */
public sealed interface StoreHealth {

  /** The store takes writes: the last write, if there was one, succeeded. */
  StoreHealth WRITABLE = new Writable();

  /** It takes writes. */
  record Writable() implements StoreHealth {}

  /**
   * The store refuses every write at once; reads still work where the file allows them.
   *
   * @param reason in words, for the operator
   * @param lasting whether a restart is needed; otherwise the store takes writes again as soon as
   *     it can
   */
  record Refusing(Instant since, String reason, boolean lasting) implements StoreHealth {}
}
