package io.feedbridge.gateway.client;

/**
 * What the bodies of answers may take of the memory. A client asks for it before it holds more of a
 * body, and gives nothing back: whoever made the call knows when the body is needed no more.
 */
@FunctionalInterface
public interface Room {

  /** Takes whatever is asked for; for answers that are short. */
  Room UNBOUNDED = bytes -> true;

  /** Takes room for so many bytes more; false, and nothing taken, if there is not so much. */
  boolean take(int bytes);
}
