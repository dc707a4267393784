package io.feedbridge.gateway.client;

/**
 * The memory that the bodies of answers may take. A client takes room before it holds more of a
 * body, and gives none back: the caller knows when it needs the body no more.
 */
@FunctionalInterface
public interface Room {

  /** Grants every request; for answers that are short. */
  Room UNBOUNDED = bytes -> true;

  /** Takes room for so many bytes more; false, and nothing taken, if there is not so much. */
  boolean take(int bytes);
}
