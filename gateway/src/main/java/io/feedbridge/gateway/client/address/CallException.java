package io.feedbridge.gateway.client.address;

import io.netty.resolver.dns.DnsNameResolver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why a call brought no answer. The message is a sentence for people: it names the host, never an
 * address inside.
 */
public final class CallException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The kinds of failure. */
  public enum Failure {
    /** The URL, or one redirected to, is not one that may be called. */
    BAD_URL,
    /** The host's address or port is not allowed. */
    ADDRESS_REFUSED,
    /** The host's name has no address, or no name server said so in time. */
    UNRESOLVED,
    /** No connection could be opened, or not within the connect timeout. */
    CONNECT,
    /** The TLS handshake failed, the certificate included. */
    TLS,
    /** The call's own time ran out. */
    TIMEOUT,
    /** The answer is longer than the caller allows. */
    TOO_LARGE,
    /** There was no room in memory for more of the answer; it may well do later. */
    NO_ROOM,
    /** The connection broke, or the bytes that came over it were not HTTP. */
    BROKEN,
    /** More redirects than the caller allows. */
    TOO_MANY_REDIRECTS,
    /** Too many calls are under way, in all or to this host. Nothing was sent. */
    SATURATED,
    /** Too many unwanted requests went to the address lately. Nothing was sent. */
    TOO_OFTEN,
    /** The caller follows a redirect later. Nothing was sent to its target. */
    HELD_BACK,
    /** The client was closed. */
    CLOSED
  }

  private final Failure failure;

  private final transient List<Hop> hops;

  public CallException(Failure failure, String message) {
    this(failure, message, null);
  }

  /** Has no stack trace: it is always that of an event loop, and a dead host makes thousands. */
  public CallException(Failure failure, String message, @Nullable Throwable cause) {
    this(failure, message, cause, List.of());
  }

  /** Whether a name server said that the host's name has no address. */
  public boolean isNameUnknown() {
    Throwable cause = getCause();
    return failure == Failure.UNRESOLVED
        && (cause == null || !DnsNameResolver.isTransportOrTimeoutError(cause));
  }

  /** Whether the URL or its address may not be called, which another try does not change. */
  public boolean isRefused() {
    return failure == Failure.ADDRESS_REFUSED || failure == Failure.BAD_URL;
  }

  /** For a client that takes no calls any more. */
  public static CallException closed() {
    return new CallException(Failure.CLOSED, "The client is closed");
  }

  private CallException(
      Failure failure, String message, @Nullable Throwable cause, List<Hop> hops) {
    super(message, cause, false, false);
    this.failure = failure;
    this.hops = hops;
  }

  /** The same failure at the end of some redirects. */
  public CallException after(List<Hop> redirects) {
    return new CallException(failure, String.valueOf(getMessage()), getCause(), redirects);
  }

  /** The kind of failure. */
  public Failure failure() {
    return failure;
  }

  /** The redirects that were followed before it failed, in order. */
  public List<Hop> hops() {
    return hops;
  }
}
