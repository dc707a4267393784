package io.feedbridge.gateway.store.deliveries;

/** The outcome of one delivery attempt, for logs, records and as a bounded label of meters. */
public enum DeliveryOutcome {
  /** The subscriber has the document. */
  DELIVERED,
  /** It answered with a status that is neither success nor the end, a redirect perhaps. */
  REFUSED,
  /** It answered that it wants no more of this subscription. */
  GONE,
  /** Its answer was not complete in time. */
  TIMEOUT,
  /** Its host's name has no address. */
  UNRESOLVED,
  /** No connection could be opened. */
  CONNECT,
  /** The TLS handshake failed, the certificate included. */
  TLS,
  /** The connection was reset or closed, or the bytes received were no HTTP answer. */
  BROKEN,
  /** It redirected too often. */
  REDIRECTS,
  /** Its URL or address is none that may be called. */
  FORBIDDEN,
  /** The gateway had too much under way; nothing was sent. */
  SATURATED,
  /** The request could not be made; nothing was sent. */
  UNMAKEABLE,
  /** The gateway stopped in the middle; nothing is known. */
  CUT_OFF;

  /** Whether the subscriber's host answered the request. */
  public boolean isAnswer() {
    return this == DELIVERED || this == REFUSED || this == GONE;
  }
}
