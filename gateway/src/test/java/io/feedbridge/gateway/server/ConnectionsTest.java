package io.feedbridge.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class ConnectionsTest {
  private final List<Integer> gauge = new ArrayList<>();
  private final List<Object> events = new ArrayList<>();

  private final Connections connections =
      new Connections(
          2,
          new ServerObserver() {
            @Override
            public void connections(int open) {
              gauge.add(open);
            }
          });

  private EmbeddedChannel connect() {
    return new EmbeddedChannel(
        connections,
        new ChannelInboundHandlerAdapter() {
          @Override
          public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
          }
        });
  }

  @Test
  void connections_above_the_bound_are_closed_until_others_have_gone() {
    EmbeddedChannel first = connect();
    EmbeddedChannel second = connect();
    assertThat(connect().isOpen()).isFalse();
    assertThat(first.isOpen() && second.isOpen()).isTrue();
    first.close().syncUninterruptibly();
    assertThat(connect().isOpen()).isTrue();
    assertThat(gauge).containsExactly(1, 2, 3, 2, 1, 2);
  }

  @Test
  void when_the_server_stops_each_connection_is_told_and_no_other_is_let_in() {
    EmbeddedChannel open = connect();
    connections.stop();
    open.runPendingTasks();
    assertThat(events).containsExactly(Connections.Event.STOPPING);
    assertThat(open.isOpen()).isTrue();
    assertThat(connect().isOpen()).isFalse();
  }

  @Test
  void those_left_are_closed_in_the_end() {
    EmbeddedChannel open = connect();
    connections.closeAll();
    assertThat(open.isOpen()).isFalse();
  }
}
