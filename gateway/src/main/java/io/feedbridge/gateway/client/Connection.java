package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One connection, with at most one exchange on it. The answer is handed over only when everything
 * that came with it has been looked at, since more bytes than the answer's own make the connection
 * unusable (RFC 9112 §9.3).
 *
 * <p>A kept connection that the server closes before it sent any byte of an answer is no failure
 * yet: the request is sent once more over a new one, even a POST. The server almost always closed
 * it for being idle, just as the request left (RFC 9110 §9.2.2 allows that where the client knows
 * the request to be safe to repeat: deliveries are promised at least once, and carry an id to
 * recognise a second one by).
 */
final class Connection extends ChannelInboundHandlerAdapter {
  /** The pool that it belongs to. Called on its event loop. */
  interface Owner {

    /** The connection has nothing to do and could be kept. */
    void release(Connection connection);

    /** The connection is gone. */
    void closed(Connection connection);

    /** The exchange is to be sent again, over a new connection. */
    void retry(Exchange exchange);

    /** Sent with requests that name no other. */
    Header userAgent();
  }

  /** Interim answers (1xx) to one request. */
  private static final int MAX_INTERIM = 16;

  /** Bodies up to so many bytes go into one buffer with their head, as one write. */
  private static final int MAX_COPIED = 64 * 1024;

  private final Owner owner;
  private final InetAddress address;
  private final Runnable abandon = this::close;
  private @Nullable Channel channel;
  private @Nullable ResponseDecoder decoder;
  private @Nullable Decompressor decompressor;

  private @Nullable Exchange exchange;
  private @Nullable HttpResponse head;
  private @Nullable ResponseBody body;
  private boolean inInterim;
  private boolean answered;
  private boolean written;
  private int headsSeen;
  private int interims;
  private boolean usedBefore;
  private long idleSinceNanos;

  Connection(Owner owner, InetAddress address) {
    this.owner = owner;
    this.address = address;
  }

  void bind(Channel ownChannel, ResponseDecoder ownDecoder) {
    channel = ownChannel;
    decoder = ownDecoder;
  }

  /** Where it leads. */
  InetAddress address() {
    return address;
  }

  long idleSinceNanos() {
    return idleSinceNanos;
  }

  /** Sends the exchange's request. */
  void send(Exchange next) {
    exchange = next;
    written = false;
    interims = 0;
    bound(decoder).expectAnswer();
    next.heldAt(Exchange.Stage.ANSWERING, abandon);
    Channel to = bound(channel);
    decompress(to, next.call().acceptCompressed());
    byte[] content = next.request().body();
    boolean together = content.length <= MAX_COPIED;
    ByteBuf message =
        RequestHead.of(
            next.request(),
            next.call(),
            owner.userAgent(),
            to.alloc(),
            together ? content.length : 0);
    if (together) {
      message.writeBytes(content);
    } else {
      var unused = to.write(message);
      message = Unpooled.wrappedBuffer(content);
    }
    to.writeAndFlush(message)
        .addListener((Future<Void> done) -> wrote(next, done.isSuccess() ? null : done.cause()));
  }

  private void decompress(Channel to, boolean asked) {
    if (asked && decompressor == null) {
      decompressor = new Decompressor();
      to.pipeline().addBefore(to.pipeline().context(this).name(), null, decompressor);
    }
    if (decompressor != null) {
      decompressor.activate(asked);
    }
  }

  private void wrote(Exchange sent, @Nullable Throwable cause) {
    if (exchange != sent) {
      return;
    }
    written = cause == null;
    if (cause instanceof ClosedChannelException) {
      lost(cause);
    } else if (cause != null && !(cause instanceof IOException)) {
      fail(
          new CallException(
              Failure.BROKEN, "The request to " + sent.peer() + " could not be sent", cause));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    try {
      if (exchange == null) {
        close();
        return;
      }
      if (answered) {
        // More than the answer. The decoder has counted it, and so the connection will not be kept.
        return;
      }
      if (message instanceof HttpResponse response) {
        begin(exchange, response);
      }
      if (message instanceof HttpContent content) {
        read(exchange, content);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void begin(Exchange current, HttpResponse response) {
    if (!decoded(current, response.decoderResult())) {
      return;
    }
    headsSeen++;
    if (response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      inInterim = true;
      interims++;
      // 101 ends HTTP on the connection, which was not asked for.
      if (response.status().code() == 101 || interims > MAX_INTERIM) {
        fail(
            new CallException(
                Failure.BROKEN,
                current.peer() + " answered with status 101 or too many others below 200"));
      }
      return;
    }
    // A 304 names the length of the body that it does not have (RFC 9110 §8.6).
    boolean bodiless = response.status().code() == 204 || response.status().code() == 304;
    long claimed = bodiless ? 0 : HttpUtil.getContentLength(response, -1L);
    int bound = current.bodyBound(response);
    head = response;
    body = new ResponseBody(bound, claimed, current.call().room());
    if (claimed > bound && !current.cutsBody(response)) {
      fail(tooLarge(current));
    }
  }

  private void read(Exchange current, HttpContent content) {
    if (exchange != current || !decoded(current, content.decoderResult())) {
      return;
    }
    boolean last = content instanceof LastHttpContent;
    if (inInterim) {
      inInterim = !last;
      return;
    }
    HttpResponse answer = head;
    ResponseBody collected = body;
    if (answer == null || collected == null) {
      return;
    }
    boolean fits = collected.add(content.content());
    if (collected.lacksRoom()) {
      String message = "Too much is being fetched at once for the answer of " + current.peer();
      fail(new CallException(Failure.NO_ROOM, message));
      return;
    }
    if (!fits && !current.cutsBody(answer)) {
      fail(tooLarge(current));
      return;
    }
    answered = last;
    if (!fits) {
      complete(current, answer, collected, false);
    }
  }

  private boolean decoded(Exchange current, DecoderResult result) {
    if (result.isSuccess()) {
      return true;
    }
    String message =
        current.peer() + " sent something that is not HTTP, or whose headers are too long";
    fail(new CallException(Failure.BROKEN, message, result.cause()));
    return false;
  }

  private static CallException tooLarge(Exchange current) {
    String message =
        "The answer of "
            + current.peer()
            + " is longer than "
            + current.call().maxBody()
            + " bytes";
    return new CallException(Failure.TOO_LARGE, message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (exchange == null && !atRest()) {
      close();
    }
    completeIfAnswered(true);
    ctx.fireChannelReadComplete();
  }

  private boolean completeIfAnswered(boolean open) {
    Exchange current = exchange;
    if (!answered || current == null || head == null || body == null) {
      return false;
    }
    boolean keep =
        open && atRest() && written && HttpUtil.isKeepAlive(head) && bound(channel).isActive();
    complete(current, head, body, keep);
    return true;
  }

  /** Whether all that has come belongs to answers already seen. */
  private boolean atRest() {
    return !bound(decoder).hasUnread() && bound(decoder).begun() == headsSeen;
  }

  private void complete(
      Exchange current, HttpResponse answer, ResponseBody collected, boolean keep) {
    forget();
    usedBefore = true;
    if (keep) {
      idleSinceNanos = System.nanoTime();
      owner.release(this);
    } else {
      close();
    }
    current.succeed(answer, collected);
  }

  private void forget() {
    exchange = null;
    head = null;
    body = null;
    answered = false;
    inInterim = false;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    lost(new ClosedChannelException());
    owner.closed(this);
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException && !(cause instanceof SSLException)) {
      lost(cause);
    } else if (exchange != null && !completeIfAnswered(false)) {
      Exchange current = bound(exchange);
      boolean tls = cause instanceof SSLException || cause.getCause() instanceof SSLException;
      fail(
          tls
              ? new CallException(
                  Failure.TLS, "The TLS connection to " + current.peer() + " failed", cause)
              : new CallException(
                  Failure.BROKEN, "The answer of " + current.peer() + " could not be read", cause));
    }
    close();
  }

  /** The server, or the network, has ended the connection. */
  private void lost(Throwable cause) {
    Exchange current = exchange;
    if (current == null || completeIfAnswered(false)) {
      return;
    }
    if (usedBefore && !bound(decoder).hasHeard() && !current.retried()) {
      forget();
      close();
      owner.retry(current);
      return;
    }
    String when =
        head == null
            ? " closed the connection without an answer"
            : " closed the connection amid its answer";
    fail(new CallException(Failure.BROKEN, current.peer() + when, cause));
  }

  /** Fails the exchange, if there is one, and closes. */
  void fail(CallException failure) {
    Exchange current = exchange;
    forget();
    close();
    if (current != null) {
      current.fail(failure);
    }
  }

  void close() {
    forget();
    var unused = bound(channel).close();
  }

  private static <T> T bound(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("the connection has no channel yet");
    }
    return value;
  }
}
