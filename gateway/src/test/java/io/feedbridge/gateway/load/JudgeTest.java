package io.feedbridge.gateway.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who judges others is judged first. */
class JudgeTest {

  private final Judge judge = new Judge();
  private final LocalHosts hosts = new LocalHosts(1, judge);
  private final LocalHost host = hosts.listen("127.0.0.1");
  private final int feed = judge.feed();
  private final String callback = host.url("one");

  @BeforeEach
  void expect() {
    judge.expect(callback, feed, true);
  }

  @AfterEach
  void end() {
    hosts.close();
  }

  private String published() {
    String entry = judge.next(feed);
    judge.acknowledged(feed);
    return entry;
  }

  private void arrive(String... entries) {
    String body = "<id>" + String.join("</id><id>", entries) + "</id>";
    judge.handle(
        host,
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1,
            HttpMethod.POST,
            "/one",
            Unpooled.copiedBuffer(body, StandardCharsets.UTF_8)));
  }

  private int missing() {
    return judge.missing(callback, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  @Test
  void what_was_acknowledged_and_did_not_arrive_is_missing() {
    String first = published();
    published();
    arrive(first);
    assertThat(missing()).isEqualTo(1);
  }

  @Test
  void what_was_not_acknowledged_is_not_missing() {
    judge.next(feed);
    assertThat(missing()).isZero();
  }

  @Test
  void what_was_acknowledged_at_another_time_does_not_count() {
    long before = System.nanoTime();
    published();
    assertThat(judge.missing(callback, Long.MIN_VALUE, before)).isZero();
    assertThat(judge.missing(callback, System.nanoTime() + 1, Long.MAX_VALUE)).isZero();
  }

  @Test
  void what_a_failing_host_was_sent_is_missing() {
    host.manner(Manner.failing(500));
    arrive(published());
    assertThat(missing()).isEqualTo(1);
    assertThat(judge.refused()).isEqualTo(1);
  }

  @Test
  void an_older_entry_after_a_newer_one_is_out_of_order() {
    String older = published();
    String newer = published();
    arrive(newer);
    assertThat(judge.disordered()).isZero();
    arrive(older);
    assertThat(judge.disordered()).isEqualTo(1);
  }

  @Test
  void entries_of_one_document_are_in_order_and_repeated_ones_are_doubled() {
    String older = published();
    String newer = published();
    arrive(newer, older);
    arrive(newer, older);
    assertThat(judge.disordered()).isZero();
    assertThat(judge.doubled()).isEqualTo(2);
    assertThat(missing()).isZero();
  }

  @Test
  void an_entry_of_another_feed_is_a_crossing() {
    arrive("entry-7-0");
    assertThat(judge.crossed()).isEqualTo(1);
  }
}
