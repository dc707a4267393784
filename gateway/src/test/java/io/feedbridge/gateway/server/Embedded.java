package io.feedbridge.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Messages for handlers on an embedded channel, and what came of them. */
final class Embedded {
  private Embedded() {}

  static HttpRequest request(String method, String uri, String... headers) {
    return request(HttpVersion.HTTP_1_1, method, uri, headers);
  }

  static HttpRequest request(HttpVersion version, String method, String uri, String... headers) {
    HttpRequest request = new DefaultHttpRequest(version, HttpMethod.valueOf(method), uri);
    for (int i = 0; i < headers.length; i += 2) {
      request.headers().add(headers[i], headers[i + 1]);
    }
    return request;
  }

  static HttpContent content(String text) {
    return new DefaultHttpContent(bytes(text));
  }

  static LastHttpContent last(String text) {
    return new DefaultLastHttpContent(bytes(text));
  }

  static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
  }

  /** What the pipeline passed on, or null. */
  static @Nullable Object inbound(EmbeddedChannel channel) {
    return channel.readInbound();
  }

  /** What the pipeline wrote, or null. */
  static @Nullable Object outbound(EmbeddedChannel channel) {
    return channel.readOutbound();
  }

  /** The response written, which must be the only one. */
  static Response response(EmbeddedChannel channel) {
    Object written = channel.readOutbound();
    assertThat(written).isInstanceOf(Response.class);
    assertThat(outbound(channel)).as("a second message").isNull();
    return (Response) written;
  }

  static void assertPasses(EmbeddedChannel channel, Object message) {
    channel.writeInbound(message);
    assertThat(outbound(channel)).isNull();
    assertThat(inbound(channel)).isSameAs(message);
  }

  static Response assertRefuses(EmbeddedChannel channel, Object message) {
    channel.writeInbound(message);
    assertThat(inbound(channel)).as("what passed").isNull();
    return response(channel);
  }
}
