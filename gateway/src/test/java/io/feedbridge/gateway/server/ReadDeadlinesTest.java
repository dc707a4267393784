package io.feedbridge.gateway.server;

import static io.feedbridge.gateway.server.Embedded.last;
import static io.feedbridge.gateway.server.Embedded.request;
import static io.feedbridge.gateway.server.Embedded.response;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.limits.Crowd;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.LeakCheck;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class ReadDeadlinesTest {
  private static final ServerLimits LIMITS = ServerLimits.DEFAULT;
  private static final Duration TICK = Duration.ofMillis(1);

  private EmbeddedChannel channel = new EmbeddedChannel();

  @BeforeEach
  void connect() {
    channel = new EmbeddedChannel();
    channel.freezeTime();
    channel.pipeline().addLast(new ReadDeadlines(LIMITS, new Crowd()));
    channel.pipeline().fireChannelActive();
  }

  private void pass(Duration time) {
    channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
  }

  private void answer(HttpResponseStatus status) {
    channel.writeOutbound(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER));
    assertThat(Embedded.outbound(channel)).isNotNull();
  }

  @Test
  void the_time_to_take_a_long_response_begins_with_its_head() {
    readHead();
    readBody();
    DefaultHttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers().set("Content-Length", 100_000);
    channel.writeOutbound(head);
    pass(LIMITS.keepAlive().minusSeconds(1));
    assertThat(channel.isOpen()).isTrue();
    pass(Duration.ofSeconds(1));
    assertThat(channel.isOpen()).isFalse();
  }

  private void begin() {
    channel.pipeline().fireUserEventTriggered(RequestDecoder.Progress.PARTIAL);
  }

  private void readHead() {
    channel.writeInbound(request("POST", "/"));
  }

  private void readBody() {
    channel.writeInbound(last(""));
    channel.releaseInbound();
  }

  private void assertLate(String what) {
    Response late = response(channel);
    assertThat(late.status()).isEqualTo(408);
    assertThat(late.bodyAsText()).contains(what);
    assertThat(late.isClosing()).isTrue();
  }

  @Test
  void a_connection_may_wait_60_seconds_for_a_request() {
    pass(LIMITS.keepAlive().minus(TICK));
    assertThat(channel.isOpen()).isTrue();
    pass(TICK);
    assertThat(channel.isOpen()).isFalse();
    assertThat(Embedded.outbound(channel)).isNull();
  }

  @Test
  void a_head_may_take_10_seconds_however_many_bytes_come_meanwhile() {
    begin();
    pass(LIMITS.headTime().minus(TICK));
    begin();
    assertThat(Embedded.outbound(channel)).isNull();
    pass(TICK);
    assertLate("header fields");
  }

  @Test
  void a_body_may_take_30_seconds() {
    begin();
    pass(LIMITS.headTime().minus(TICK));
    readHead();
    pass(LIMITS.bodyTime().minus(TICK));
    assertThat(Embedded.outbound(channel)).isNull();
    pass(TICK);
    assertLate("body");
  }

  @Test
  void while_the_handler_works_nothing_is_awaited() {
    readHead();
    readBody();
    pass(Duration.ofHours(1));
    assertThat(channel.isOpen()).isTrue();
    assertThat(Embedded.outbound(channel)).isNull();
  }

  @Test
  void after_the_response_the_next_request_is_awaited() {
    readHead();
    readBody();
    answer(HttpResponseStatus.OK);
    pass(LIMITS.keepAlive());
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void a_100_is_not_the_response() {
    readHead();
    answer(HttpResponseStatus.CONTINUE);
    readBody();
    pass(Duration.ofHours(1));
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void the_body_of_a_request_answered_early_is_still_bounded() {
    readHead();
    answer(HttpResponseStatus.NOT_FOUND);
    pass(LIMITS.bodyTime());
    assertLate("body");
  }

  @Test
  void once_that_body_is_read_the_next_request_is_awaited() {
    readHead();
    answer(HttpResponseStatus.NOT_FOUND);
    readBody();
    pass(LIMITS.keepAlive().minus(TICK));
    assertThat(channel.isOpen()).isTrue();
    pass(TICK);
    assertThat(channel.isOpen()).isFalse();
  }
}
