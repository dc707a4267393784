package io.feedbridge.gateway.server.limits;

import java.time.Duration;

/**
 * Every bound of the server but a route's own on its body.
 *
 * @param requestLine bytes of a request line; more is answered 414
 * @param headers bytes of all header fields, or of all trailer fields; more is answered 431
 * @param fields header fields and trailer fields of a request; more are answered 431
 * @param requests bytes of all requests together that are being read or answered; over this bound
 *     the connection is closed whose request is being read for the longest
 * @param connections open connections; over this bound a new connection makes the server close the
 *     connection for which it has waited the longest
 * @param connectionsOfOne open connections from one address (of IPv6: from one /64); further ones
 *     are closed at once
 * @param keepAlive how long a connection may wait for a request to begin, counted from the start of
 *     the response before it, which must be taken within that time too
 * @param headTime from a request's first byte to the end of its header fields; then 408
 * @param bodyTime from there to the end of its body; then 408
 * @param handlerTime how long a handler may take; then 503
 * @param unreadBody bytes of an unwanted body that are read over to keep the connection
 * @param lingerTime how long the server goes on reading after its last response, so that the
 *     response is not lost to a reset (RFC 9112 §9.6)
 * @param lingerBytes how much it reads over meanwhile; more than the longest body that any route
 *     takes, since many clients look at the response only once they have sent theirs
 * @param unsent bytes of a response that were written and that the client has not taken yet; with
 *     more the connection is closed. It exceeds the longest piece that a handler writes
 * @param sendTime how long a client may take for a piece of a response that is written as it comes
 *     into being; then the connection is closed
 * @param responses bytes of all responses together that were written and that clients have not
 *     taken yet; where they do not do, of the address that has most of them the connection is
 *     closed whose response is the oldest
 */
public record ServerLimits(
    int requestLine,
    int headers,
    int fields,
    long requests,
    int connections,
    int connectionsOfOne,
    Duration keepAlive,
    Duration headTime,
    Duration bodyTime,
    Duration handlerTime,
    int unreadBody,
    Duration lingerTime,
    int lingerBytes,
    int unsent,
    Duration sendTime,
    long responses) {

  /** The bounds that the server has unless told otherwise. */
  public static final ServerLimits DEFAULT =
      new ServerLimits(
          8 * 1_024,
          16 * 1_024,
          128,
          64 * 1_024 * 1_024,
          10_000,
          512,
          Duration.ofSeconds(60),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(60),
          64 * 1_024,
          Duration.ofSeconds(5),
          32 * 1_024 * 1_024,
          8 * 1_024 * 1_024,
          Duration.ofSeconds(30),
          64 * 1_024 * 1_024);

  /** The same with other bounds on connections: in all, and from one address. */
  public ServerLimits withConnections(int most, int mostOfOne) {
    return new ServerLimits(
        requestLine,
        headers,
        fields,
        requests,
        most,
        mostOfOne,
        keepAlive,
        headTime,
        bodyTime,
        handlerTime,
        unreadBody,
        lingerTime,
        lingerBytes,
        unsent,
        sendTime,
        responses);
  }
}
