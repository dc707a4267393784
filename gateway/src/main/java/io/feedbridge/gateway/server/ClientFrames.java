package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.message.Frames;
import io.feedbridge.gateway.server.message.Outflow;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Answers the pings and the last frame of a WebSocket client, and discards all else that the client
 * sends. A client that sends much, or anything but frames, is cut off.
 */
final class ClientFrames extends SimpleChannelInboundHandler<WebSocketFrame> {

  /** Bytes of frames of a client in {@link #WINDOW}. */
  static final int MAX_BYTES = 16 << 10;

  private static final long WINDOW = Duration.ofMinutes(1).toNanos();

  /** A frame has at most so many bytes beside its payload (RFC 6455 §5.2). */
  private static final int HEAD = 14;

  private final Outflow out;
  private final Consumer<byte[]> close;
  private long windowSince = System.nanoTime();
  private int bytes;

  private ClientFrames(Outflow out, Consumer<byte[]> close) {
    this.out = out;
    this.close = close;
  }

  /**
   * Reads frames in the place of requests from now on.
   *
   * @param close takes the payload of the client's last frame
   */
  static void read(ChannelPipeline pipeline, Outflow out, Consumer<byte[]> close) {
    String requests = pipeline.context(RequestDecoder.class).name();
    pipeline.addBefore(
        requests,
        null,
        new WebSocket13FrameDecoder(
            WebSocketDecoderConfig.newBuilder()
                .allowExtensions(false)
                .maxFramePayloadLength(MAX_BYTES)
                .closeOnProtocolViolation(false)
                .build()));
    pipeline.addBefore(requests, null, new ClientFrames(out, close));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, WebSocketFrame frame) {
    long now = System.nanoTime();
    if (now - windowSince > WINDOW) {
      windowSince = now;
      bytes = 0;
    }
    bytes += HEAD + frame.content().readableBytes();
    if (bytes > MAX_BYTES) {
      Outbound.close(ctx);
    } else if (frame instanceof PingWebSocketFrame) {
      var unused = out.write(Frames.pong(ByteBufUtil.getBytes(frame.content())));
    } else if (frame instanceof CloseWebSocketFrame) {
      close.accept(ByteBufUtil.getBytes(frame.content()));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable broken) {
    Outbound.close(ctx);
  }
}
