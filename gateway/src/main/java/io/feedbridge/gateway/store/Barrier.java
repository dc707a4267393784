package io.feedbridge.gateway.store;

import java.time.Duration;
import java.time.Instant;

/**
 * Why a topic that was never read may never be: more than an origin that fails for now.
 *
 * @param since the first fetch in a row that met it
 */
public record Barrier(Kind kind, Instant since) {

  /** How long a name may be without an address before the topic counts as gone. */
  public static final Duration NO_NAME = Duration.ofDays(1);

  /** The kinds of obstacles. */
  public enum Kind {
    /** A rule of this gateway: an address that must not be called, or a budget that is spent. */
    RULE,
    /** The host's name has no address. */
    NAME
  }

  /** Whether the topic counts as gone: its host has had no name for a day. */
  public boolean isGone(Instant now) {
    return kind == Kind.NAME && !now.isBefore(since.plus(NO_NAME));
  }
}
