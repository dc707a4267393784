package io.feedbridge.gateway.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class RequestRoomTest {
  private final RequestRoom room = new RequestRoom(100);
  private final EmbeddedChannel first = new EmbeddedChannel();
  private final EmbeddedChannel second = new EmbeddedChannel();
  private final EmbeddedChannel third = new EmbeddedChannel();

  @Test
  void whoever_sends_for_the_longest_gives_way_to_others() {
    assertThat(room.take(first, 40)).isTrue();
    assertThat(room.take(second, 40)).isTrue();
    assertThat(room.take(first, 10)).isTrue();
    assertThat(room.take(third, 20)).isTrue();
    assertThat(first.isOpen()).isFalse();
    assertThat(second.isOpen() && third.isOpen()).isTrue();
    assertThat(room.taken()).isEqualTo(60);
  }

  @Test
  void what_is_being_answered_does_not_give_way() {
    assertThat(room.take(first, 80)).isTrue();
    room.read(first);
    assertThat(room.take(second, 30)).isFalse();
    assertThat(first.isOpen()).isTrue();
    assertThat(room.taken()).isEqualTo(80);
    room.free(first);
    assertThat(room.take(second, 100)).isTrue();
  }

  @Test
  void a_request_that_has_all_the_room_does_not_give_way_to_itself() {
    assertThat(room.take(first, 100)).isTrue();
    assertThat(room.take(first, 1)).isFalse();
    assertThat(room.taken()).isZero();
  }

  @Test
  void a_connection_that_is_gone_takes_nothing() {
    first.close().syncUninterruptibly();
    assertThat(room.take(first, 1)).isFalse();
    room.free(first);
    assertThat(room.taken()).isZero();
  }
}
