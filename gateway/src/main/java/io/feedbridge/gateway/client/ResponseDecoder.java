package io.feedbridge.gateway.client;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponseDecoder;

/**
 * Netty's decoder, which can also tell whether anything has come after a message. Unrequested bytes
 * would otherwise be taken for the answer to the next request on the connection.
 */
final class ResponseDecoder extends HttpResponseDecoder {
  static final int MAX_STATUS_LINE = 8 * 1024;
  static final int MAX_HEADERS = 32 * 1024;

  private final boolean headsAlone;
  private int begun;
  private boolean heard;

  ResponseDecoder() {
    this(false);
  }

  private ResponseDecoder(boolean headsAlone) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_STATUS_LINE)
            .setMaxHeaderSize(MAX_HEADERS)
            // RFC 9112 §2.2 lets a recipient take a lone LF for a line's end; old feed servers send
            // it.
            .setStrictLineParsing(false));
    this.headsAlone = headsAlone;
  }

  /** One for answers without bodies, whatever their fields say. */
  static ResponseDecoder ofHeadsAlone() {
    return new ResponseDecoder(true);
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    return headsAlone || super.isContentAlwaysEmpty(message);
  }

  @Override
  protected HttpMessage createMessage(String[] initialLine) {
    begun++;
    return super.createMessage(initialLine);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    heard = true;
    super.channelRead(ctx, message);
  }

  /** From here on bytes belong to the answer to the next request. */
  void expectAnswer() {
    heard = false;
  }

  /** Whether any byte has come since then. */
  boolean hasHeard() {
    return heard;
  }

  /** Messages of which the status line has been read, interim ones included. */
  int begun() {
    return begun;
  }

  /** Whether bytes have come that belong to no message yet. */
  boolean hasUnread() {
    return actualReadableBytes() > 0;
  }
}
