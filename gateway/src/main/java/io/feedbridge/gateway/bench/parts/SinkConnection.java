package io.feedbridge.gateway.bench.parts;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the sink: reads heads, skips most bodies, answers 204, and a verification with
 * its challenge.
 */
final class SinkConnection extends ChannelInboundHandlerAdapter {

  private static final ByteBuf TAKEN =
      Unpooled.unreleasableBuffer(
          Unpooled.directBuffer()
              .writeBytes("HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII))
              .asReadOnly());

  private final SinkBook book;
  private final SinkHead head = new SinkHead();
  private boolean inBody;
  private int bodyLeft;
  private byte @Nullable [] body;

  SinkConnection(SinkBook book) {
    this.book = book;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      while (in.isReadable()) {
        if (inBody) {
          readBody(context, in);
        } else {
          readHead(context, in);
        }
      }
    } finally {
      in.release();
    }
  }

  private void readHead(ChannelHandlerContext context, ByteBuf in) {
    while (in.isReadable()) {
      if (head.add(in.readByte())) {
        head.parse();
        inBody = true;
        bodyLeft = head.bodyLength;
        body = book.wantsBody() ? new byte[bodyLeft] : null;
        if (bodyLeft == 0) {
          end(context);
        }
        return;
      }
    }
  }

  private void readBody(ChannelHandlerContext context, ByteBuf in) {
    int part = Math.min(bodyLeft, in.readableBytes());
    if (body != null) {
      in.readBytes(body, body.length - bodyLeft, part);
    } else {
      in.skipBytes(part);
    }
    bodyLeft -= part;
    if (bodyLeft == 0) {
      end(context);
    }
  }

  private void end(ChannelHandlerContext context) {
    String challenge = head.challenge;
    if (challenge.isEmpty()) {
      book.came(head, body);
    } else {
      book.verified(head);
    }
    inBody = false;
    body = null;
    head.clear();
    var unused = context.write(challenge.isEmpty() ? TAKEN.duplicate() : echo(challenge));
  }

  private static ByteBuf echo(String challenge) {
    return Unpooled.copiedBuffer(
        "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s".formatted(challenge.length(), challenge),
        StandardCharsets.US_ASCII);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    context.flush();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // The client's end is nothing to the sink; a head that it cannot read is a delivery that
    // misses.
    var unused = context.close();
  }
}
