package io.feedbridge.gateway.server.limits;

import java.time.Duration;

/**
 * Is told the numbers and events behind the metrics. Called on event loops, by several at once: it
 * must be thread-safe and must not block. No argument is a client's free text, so each may be a
 * label.
 */
public interface ServerObserver {
  /** Why a connection was closed that the server had no room for. */
  enum Crowding {
    /** There are too many from its address. */
    ADDRESS,
    /** The server has waited for it the longest, and a new connection needed its place. */
    SLOW,
    /** There are too many, and none of them is waited for. */
    FULL,
    /** Untaken responses fill their room, and its address holds most of them. */
    UNREAD
  }

  /** Observes nothing. */
  ServerObserver NONE = new ServerObserver() {};

  /**
   * A response was handed to the connection.
   *
   * @param route the route's pattern, {@code *} for the server as a whole, or {@code unmatched}
   * @param method a method that the server knows, or {@code other}
   * @param took from the end of the request's header fields
   */
  default void requestFinished(String route, String method, int status, Duration took) {}

  /** The number of open connections has changed to this. */
  default void connections(int open) {}

  /** A connection was closed for want of room. */
  default void connectionClosed(Crowding why) {}
}
