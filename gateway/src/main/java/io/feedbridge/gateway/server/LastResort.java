package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection on which a handler of the pipeline failed. That a client went away ({@link
 * IOException}), or does not speak TLS where it should, is nothing to log.
 */
@Sharable
final class LastResort extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(LastResort.class);

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean clients =
        cause instanceof IOException
            || (cause instanceof DecoderException && cause.getCause() instanceof SSLException);
    if (!clients) {
      log.atError().setMessage("connection failed").setCause(cause).log();
    }
    Outbound.close(ctx);
  }
}
