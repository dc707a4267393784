package io.feedbridge.gateway.server.message;

/** The form of the answer to a request that the server itself refuses in place of the handler. */
@FunctionalInterface
public interface RefusalForm {

  /** A line of plain text. */
  RefusalForm TEXT = Response::text;

  /**
   * The answer; its content must depend on nothing else, since no handler has let the request in.
   *
   * @param reason in one line, safe to send
   */
  Response of(int status, String reason);
}
