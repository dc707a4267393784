package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.Target;
import java.util.List;

/**
 * One request of a call: the first, or one that follows a redirect. The body is shared, never
 * changed.
 */
@SuppressWarnings("ArrayRecordComponent") // see Call
record Request(Call.Method method, Target target, List<Header> headers, byte[] body) {

  /** The same with other fields. */
  Request with(List<Header> others) {
    return new Request(method, target, others, body);
  }
}
