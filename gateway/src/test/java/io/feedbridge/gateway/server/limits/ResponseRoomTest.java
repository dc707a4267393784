package io.feedbridge.gateway.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResponseRoomTest {

  private final List<ServerObserver.Crowding> closed = new ArrayList<>();
  private final ResponseRoom room =
      new ResponseRoom(
          100,
          new ServerObserver() {
            @Override
            public void connectionClosed(Crowding why) {
              closed.add(why);
            }
          });

  private static EmbeddedChannel from(String address) {
    return new EmbeddedChannel() {
      @Override
      protected SocketAddress remoteAddress0() {
        return new InetSocketAddress(address, 1);
      }
    };
  }

  @Test
  void of_the_address_that_holds_most_the_oldest_response_gives_way() {
    EmbeddedChannel patient = from("192.0.2.1");
    EmbeddedChannel first = from("192.0.2.2");
    EmbeddedChannel second = from("192.0.2.2");
    EmbeddedChannel newcomer = from("192.0.2.3");
    room.take(patient, 30, null);
    room.take(first, 20, null);
    room.take(second, 40, null);

    room.take(newcomer, 25, null);

    assertThat(first.isOpen()).isFalse();
    assertThat(patient.isOpen() && second.isOpen() && newcomer.isOpen()).isTrue();
    assertThat(room.taken()).isEqualTo(95);
    assertThat(closed).containsExactly(ServerObserver.Crowding.UNREAD);
  }

  @Test
  void a_body_that_many_connections_are_sent_counts_once() {
    byte[] body = new byte[60];
    List<EmbeddedChannel> readers =
        List.of(from("192.0.2.1"), from("192.0.2.2"), from("192.0.2.3"));
    readers.forEach(reader -> room.take(reader, 10, body));

    assertThat(room.taken()).isEqualTo(90);
    assertThat(readers).allMatch(EmbeddedChannel::isOpen);

    room.give(readers.get(0), 10, body);
    room.free(readers.get(1));
    assertThat(room.taken()).isEqualTo(70);
    room.give(readers.get(2), 10, body);
    assertThat(room.taken()).isZero();
  }

  @Test
  void a_response_larger_than_the_room_is_sent_while_there_is_no_other() {
    EmbeddedChannel one = from("192.0.2.1");
    room.take(one, 10, new byte[500]);
    assertThat(one.isOpen()).isTrue();

    EmbeddedChannel other = from("192.0.2.2");
    room.take(other, 10, null);
    assertThat(one.isOpen()).isFalse();
    assertThat(other.isOpen()).isTrue();
    assertThat(room.taken()).isEqualTo(10);
  }

  @Test
  void a_connection_that_was_freed_gives_nothing_back() {
    EmbeddedChannel one = from("192.0.2.1");
    room.take(one, 40, null);
    room.free(one);
    room.give(one, 40, null);
    assertThat(room.taken()).isZero();

    one.close().syncUninterruptibly();
    room.take(one, 40, null);
    assertThat(room.taken()).isZero();
  }
}
