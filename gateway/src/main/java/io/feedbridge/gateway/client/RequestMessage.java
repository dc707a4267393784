package io.feedbridge.gateway.client;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** Writes a request as a message for the wire. */
final class RequestMessage {
  private static final String DEFAULT_USER_AGENT = "Feedbridge";
  private static final String WITH_BROTLI = Decompressor.ACCEPTED + ", br";
  private static final int MAX_LATIN1 = 0xff;

  private RequestMessage() {}

  /** A message that wraps the body without copying it. */
  static FullHttpRequest of(Request request, Call call) {
    // Header has validated names and values; once is enough.
    HttpHeaders headers =
        DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
    headers.set(HttpHeaderNames.HOST, request.target().hostHeader());
    boolean named = false;
    for (Header header : request.headers()) {
      headers.add(header.name(), onWire(header.value()));
      named |= HttpHeaderNames.USER_AGENT.contentEqualsIgnoreCase(header.name());
    }
    if (!named) {
      headers.set(HttpHeaderNames.USER_AGENT, DEFAULT_USER_AGENT);
    }
    if (call.acceptCompressed()) {
      headers.set(
          HttpHeaderNames.ACCEPT_ENCODING,
          call.acceptBrotli() ? WITH_BROTLI : Decompressor.ACCEPTED);
    }
    HttpMethod method =
        switch (request.method()) {
          case GET -> HttpMethod.GET;
          case POST -> HttpMethod.POST;
        };
    // RFC 9110 §8.6: a POST says its length even if that is 0.
    if (request.method() == Call.Method.POST) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, request.body().length);
    }
    return new DefaultFullHttpRequest(
        HttpVersion.HTTP_1_1,
        method,
        request.target().requestTarget(),
        Unpooled.wrappedBuffer(request.body()),
        headers,
        EmptyHttpHeaders.INSTANCE);
  }

  private static String onWire(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) > MAX_LATIN1) {
        return new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
      }
    }
    return value;
  }
}
