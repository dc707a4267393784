package io.feedbridge.gateway.server;

/** What a request is answered that the server itself refuses, before or in place of its handler. */
@FunctionalInterface
public interface RefusalForm {

  /** A line of text, as anyone can read it. */
  RefusalForm TEXT = Response::text;

  /**
   * The answer; its content must depend on nothing else, since no handler has let the request in.
   *
   * @param reason in one line, safe to send
   */
  Response of(int status, String reason);
}
