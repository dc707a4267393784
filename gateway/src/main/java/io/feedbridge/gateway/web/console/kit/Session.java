package io.feedbridge.gateway.web.console.kit;

import java.time.Instant;

/**
 * The time for which a browser may act as the operator.
 *
 * @param id unguessable; the value of the cookie
 * @param formToken unguessable; stands in each form of the session
 * @param host the {@code Host} under which the operator signed in; the session holds for no other
 * @param until when it ends
 */
record Session(String id, String formToken, String host, Instant until) {

  @Override
  public String toString() {
    return "Session[until=" + until + ']';
  }
}
