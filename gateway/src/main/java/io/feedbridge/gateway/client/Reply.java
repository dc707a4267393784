package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.Hop;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The final answer to a call.
 *
 * @param status 200 to 599 (or any other number that a server sends): every status is a reply, none
 *     is a failure
 * @param body decompressed if the call asked for gzip and deflate; the caller's own array
 * @param truncated whether the body was longer than the call's bound and was cut
 * @param finalUrl the URL that gave this answer, after redirects
 * @param hops the redirects that were followed, in order
 * @param address of the host that answered; null where a proxy knows it, and without a network
 */
@SuppressWarnings(
    "ArrayRecordComponent") // compared nowhere; a copy per access would cost each delivery
public record Reply(
    int status,
    Headers headers,
    byte[] body,
    boolean truncated,
    String finalUrl,
    List<Hop> hops,
    @Nullable InetAddress address) {

  /**
   * An answer with a status and no more, for implementations of {@link Sender} without a network.
   */
  public static Reply bare(int status, String url) {
    return new Reply(
        status, new Headers(EmptyHttpHeaders.INSTANCE), new byte[0], false, url, List.of(), null);
  }

  /** The same with another body. */
  public Reply withBody(byte[] other) {
    return new Reply(status, headers, other, truncated, finalUrl, hops, address);
  }

  /** Whether the status is 2xx. */
  public boolean successful() {
    return status >= 200 && status < 300;
  }
}
