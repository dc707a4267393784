package io.feedbridge.gateway.server;

import static io.feedbridge.gateway.server.Embedded.content;
import static io.feedbridge.gateway.server.Embedded.last;
import static io.feedbridge.gateway.server.Embedded.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.limits.Connections;
import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.message.Reply;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.LeakCheck;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class ExchangeTest {
  private static final Response OK = Response.text(200, "ok");

  private final AtomicInteger nexts = new AtomicInteger();
  private final AtomicBoolean stopping = new AtomicBoolean();

  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new Exchange(nexts::incrementAndGet, stopping::get, ServerLimits.DEFAULT));

  private void receive(Object... messages) {
    channel.writeInbound(messages);
  }

  /** Answers the current request. */
  private Reply answer(Response response) {
    channel.writeOutbound(response);
    Object reply = channel.readOutbound();
    assertThat(reply).isInstanceOf(Reply.class);
    return (Reply) reply;
  }

  /** From now on nothing is sent until its promise is fulfilled. */
  private List<ChannelPromise> holdWrites() {
    List<ChannelPromise> unsent = new ArrayList<>();
    channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise sent) {
                unsent.add(sent);
              }
            });
    return unsent;
  }

  private void assertKept(Reply reply) {
    assertThat(reply.close()).isFalse();
    assertThat(channel.isOpen()).isTrue();
  }

  private void assertClosed(Reply reply) {
    assertThat(reply.close()).isTrue();
    assertThat(channel.isOpen()).isFalse();
    assertThat(nexts).hasValue(0);
  }

  @Test
  void the_next_request_waits_for_the_response() {
    receive(request("GET", "/"), LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(nexts).hasValue(0);
    assertThat(channel.config().isAutoRead()).isFalse();
    assertKept(answer(OK));
    assertThat(nexts).hasValue(1);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void the_next_request_waits_until_the_response_is_sent() {
    List<ChannelPromise> unsent = holdWrites();
    receive(request("GET", "/"), LastHttpContent.EMPTY_LAST_CONTENT);
    Outbound.send(channel, OK);
    assertThat(nexts).hasValue(0);
    unsent.get(0).setSuccess();
    assertThat(nexts).hasValue(1);
  }

  @Test
  void a_small_body_that_nobody_wants_is_read_over() {
    receive(request("POST", "/", "Content-Length", "2"));
    assertThat(Embedded.inbound(channel)).isNotNull();
    assertKept(answer(OK));
    HttpContent first = content("a");
    HttpContent second = last("b");
    receive(first);
    assertThat(nexts).hasValue(0);
    receive(second);
    assertThat(nexts).hasValue(1);
    assertThat(Embedded.inbound(channel)).isNull();
    assertThat(first.refCnt() + second.refCnt()).isZero();
  }

  @Test
  void a_long_body_that_nobody_wants_ends_the_connection() {
    receive(request("POST", "/", "Content-Length", "65537"));
    assertClosed(answer(OK));
  }

  @Test
  void so_does_one_of_unknown_length() {
    receive(request("POST", "/", "Transfer-Encoding", "chunked"));
    assertClosed(answer(OK));
  }

  @Test
  void RFC9110_10_1_1_so_does_one_that_may_never_come() {
    receive(request("POST", "/", "Content-Length", "2", "Expect", "100-continue"));
    assertClosed(answer(OK));
  }

  @Test
  void a_body_that_breaks_off_while_it_is_read_over_ends_the_connection() {
    receive(request("POST", "/", "Content-Length", "2"));
    assertKept(answer(OK));
    HttpContent bad = last("");
    bad.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("bad chunk")));
    receive(bad);
    assertThat(channel.isOpen()).isFalse();
    assertThat(nexts).hasValue(0);
  }

  @Test
  void there_is_one_response_to_a_request() {
    receive(request("POST", "/", "Content-Length", "2"));
    assertKept(answer(OK));
    Outbound.send(channel, Response.text(408, "late").closing());
    assertThat(Embedded.outbound(channel)).isNull();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void RFC9112_9_3_the_client_may_end_the_connection() {
    receive(request("GET", "/", "Connection", "close"), LastHttpContent.EMPTY_LAST_CONTENT);
    assertClosed(answer(OK));
  }

  @Test
  void RFC9112_9_3_http_1_0_ends_it_unless_asked() {
    receive(
        request(HttpVersion.HTTP_1_0, "GET", "/", "Connection", "keep-alive"),
        LastHttpContent.EMPTY_LAST_CONTENT);
    assertKept(answer(OK));
    nexts.set(0);
    receive(request(HttpVersion.HTTP_1_0, "GET", "/"), LastHttpContent.EMPTY_LAST_CONTENT);
    assertClosed(answer(OK));
  }

  @Test
  void a_response_may_end_it() {
    receive(request("GET", "/"), LastHttpContent.EMPTY_LAST_CONTENT);
    assertClosed(answer(OK.closing()));
  }

  @Test
  void a_response_to_no_request_ends_it() {
    assertClosed(answer(OK));
  }

  @Test
  void what_follows_the_last_request_is_dropped() {
    List<ChannelPromise> unsent = holdWrites();
    receive(request("POST", "/", "Content-Length", "65537"));
    assertThat(Embedded.inbound(channel)).isNotNull();
    Outbound.send(channel, OK);
    HttpContent rest = content("a");
    receive(rest, request("GET", "/"));
    assertThat(Embedded.inbound(channel)).isNull();
    assertThat(rest.refCnt()).isZero();
    unsent.get(0).setSuccess();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void a_reply_to_head_has_no_body() {
    receive(request("HEAD", "/"), LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(answer(OK).headOnly()).isTrue();
  }

  @Test
  void while_stopping_a_waiting_connection_is_closed() {
    channel.pipeline().fireUserEventTriggered(Connections.Event.STOPPING);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void while_stopping_a_request_under_way_is_the_last() {
    receive(request("GET", "/"), LastHttpContent.EMPTY_LAST_CONTENT);
    stopping.set(true);
    channel.pipeline().fireUserEventTriggered(Connections.Event.STOPPING);
    assertThat(channel.isOpen()).isTrue();
    assertClosed(answer(OK));
  }

  @Test
  void while_stopping_a_body_is_no_longer_read_over() {
    receive(request("POST", "/", "Content-Length", "2"));
    assertKept(answer(OK));
    channel.pipeline().fireUserEventTriggered(Connections.Event.STOPPING);
    assertThat(channel.isOpen()).isFalse();
  }
}
