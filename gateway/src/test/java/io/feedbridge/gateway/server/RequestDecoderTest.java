package io.feedbridge.gateway.server;

import static io.feedbridge.gateway.server.Embedded.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.limits.RequestRoom;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.testing.LeakCheck;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class RequestDecoderTest {
  private static final String GET = "GET /%d HTTP/1.1\r\nHost: a\r\n\r\n";

  private final List<Object> events = new ArrayList<>();
  private final RequestDecoder decoder =
      new RequestDecoder(ServerLimits.DEFAULT, new RequestRoom(1_000_000));

  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          decoder,
          new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
              events.add(event);
            }
          });

  private List<String> decoded() {
    List<String> uris = new ArrayList<>();
    for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
      if (message instanceof HttpRequest request) {
        uris.add(request.uri());
      } else if (message instanceof LastHttpContent) {
        uris.add("end");
      }
      ReferenceCountUtil.release(message);
    }
    return uris;
  }

  @Test
  void one_request_is_decoded_at_a_time() {
    channel.writeInbound(bytes(GET.formatted(1) + GET.formatted(2) + GET.formatted(3)));
    assertThat(decoded()).containsExactly("/1", "end");
    channel.writeInbound(bytes(GET.formatted(4)));
    assertThat(decoded()).isEmpty();
    decoder.next();
    assertThat(decoded()).containsExactly("/2", "end");
    decoder.next();
    decoder.next();
    decoder.next();
    assertThat(decoded()).containsExactly("/3", "end", "/4", "end");
    channel.finishAndReleaseAll();
  }

  @Test
  void a_request_answered_at_once_lets_the_next_one_follow_without_recursion() {
    List<String> answered = new ArrayList<>();
    RequestDecoder immediate = new RequestDecoder(ServerLimits.DEFAULT, new RequestRoom(1_000_000));
    EmbeddedChannel server =
        new EmbeddedChannel(
            immediate,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                if (message instanceof LastHttpContent) {
                  answered.add("");
                  immediate.next();
                }
                ReferenceCountUtil.release(message);
              }
            });
    int many = 20_000;
    server.writeInbound(bytes(GET.formatted(1).repeat(many)));
    assertThat(answered).hasSize(many);
    server.finishAndReleaseAll();
  }

  @Test
  void a_head_begun_is_announced_also_when_it_was_pipelined() {
    channel.writeInbound(bytes(GET.formatted(1) + "GET /2 HT"));
    assertThat(events).isEmpty();
    decoder.next();
    assertThat(events).containsExactly(RequestDecoder.Progress.PARTIAL);
    channel.writeInbound(bytes("TP/1.1\r\nHost: a\r\n\r\n"));
    assertThat(decoded()).containsExactly("/1", "end", "/2", "end");
    channel.finishAndReleaseAll();
  }

  @Test
  void while_a_request_is_handled_no_bytes_are_asked_for() {
    List<String> reads = new ArrayList<>();
    EmbeddedChannel server =
        new EmbeddedChannel(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void read(ChannelHandlerContext ctx) {
                reads.add("read");
                ctx.read();
              }
            },
            new RequestDecoder(ServerLimits.DEFAULT, new RequestRoom(1_000_000)));
    server.config().setAutoRead(false);
    server.writeInbound(bytes(GET.formatted(1)));
    reads.clear();
    server.writeInbound(bytes(GET.formatted(2)));
    assertThat(reads).isEmpty();
    server.finishAndReleaseAll();
  }
}
