package io.feedbridge.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.feedbridge.gateway.client.address.Proxy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;

/**
 * Writes the request line and the header fields of a request (RFC 9112 §3, §5). Parts that very
 * many requests share come encoded: encoding them anew each time took longer than signing the body.
 */
final class RequestHead {
  private static final byte[] ACCEPTED = line("accept-encoding: " + Decompressor.ACCEPTED);
  private static final byte[] WITH_BROTLI =
      line("accept-encoding: " + Decompressor.ACCEPTED + ", br");
  private static final byte[] VERSION_AND_HOST = " HTTP/1.1\r\nhost: ".getBytes(ISO_8859_1);
  private static final byte[] LENGTH = "content-length: ".getBytes(ISO_8859_1);
  private static final byte[] END_OF_LINE = "\r\n".getBytes(ISO_8859_1);

  /** Enough for nearly all. */
  private static final int USUAL_BYTES = 768;

  private RequestHead() {}

  /** Writes the field that is for a proxy alone, if there is one. */
  static void authorize(ByteBuf head, Proxy proxy) {
    if (proxy.authorization() != null) {
      ByteBufUtil.writeAscii(head, "proxy-authorization: " + proxy.authorization());
      head.writeBytes(END_OF_LINE);
    }
  }

  private static byte[] line(String text) {
    return (text + "\r\n").getBytes(ISO_8859_1);
  }

  /**
   * The head in a buffer of its own, which the caller releases.
   *
   * @param userAgent sent where the request names none
   * @param more bytes for which the buffer has room behind it
   */
  static ByteBuf of(
      Request request, Call call, Header userAgent, ByteBufAllocator allocator, int more) {
    ByteBuf head = allocator.directBuffer(USUAL_BYTES + more);
    // A target has no characters outside ASCII.
    ByteBufUtil.writeAscii(head, request.method().name());
    head.writeByte(' ');
    // An https request reaches its origin through a tunnel (RFC 9112 §3.2.2, §3.2.3).
    Proxy proxy = request.target().origin().secure() ? null : call.proxyAt(request.target());
    if (proxy != null) {
      ByteBufUtil.writeAscii(head, "http://");
      ByteBufUtil.writeAscii(head, request.target().hostHeader());
    }
    ByteBufUtil.writeAscii(head, request.target().requestTarget());
    head.writeBytes(VERSION_AND_HOST);
    ByteBufUtil.writeAscii(head, request.target().hostHeader());
    head.writeBytes(END_OF_LINE);
    if (proxy != null) {
      authorize(head, proxy);
    }
    boolean named = false;
    for (Header header : request.headers()) {
      head.writeBytes(header.line());
      named |= header.isNamed(ClientConfig.USER_AGENT);
    }
    if (!named) {
      head.writeBytes(userAgent.line());
    }
    if (call.acceptCompressed()) {
      head.writeBytes(call.acceptBrotli() ? WITH_BROTLI : ACCEPTED);
    }
    // RFC 9110 §8.6: a POST says its length even if that is 0.
    if (request.method() != Call.Method.GET) {
      head.writeBytes(LENGTH);
      ByteBufUtil.writeAscii(head, Integer.toString(request.body().length));
      head.writeBytes(END_OF_LINE);
    }
    return head.writeBytes(END_OF_LINE);
  }
}
