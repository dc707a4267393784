package io.feedbridge.gateway.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.LeakCheck;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class ConnectionsTest {
  private final List<Integer> gauge = new ArrayList<>();
  private final List<Object> events = new ArrayList<>();

  private final List<ServerObserver.Crowding> closed = new ArrayList<>();
  private final Set<InetAddress> proxies = new HashSet<>();

  private final Connections connections =
      new Connections(
          ServerLimits.DEFAULT.withConnections(4, 2),
          proxies::contains,
          new ServerObserver() {
            @Override
            public void connections(int open) {
              gauge.add(open);
            }

            @Override
            public void connectionClosed(Crowding why) {
              closed.add(why);
            }
          });

  private EmbeddedChannel connect() {
    return connect("192.0.2." + (gauge.size() + 1));
  }

  private EmbeddedChannel connect(String from) {
    InetSocketAddress address = new InetSocketAddress(from, 1_234);
    return new EmbeddedChannel(
        connections,
        new ChannelInboundHandlerAdapter() {
          @Override
          public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            events.add(event);
          }
        }) {
      @Override
      protected SocketAddress remoteAddress0() {
        return address;
      }
    };
  }

  private void awaits(EmbeddedChannel channel) {
    connections.crowd().await(channel);
  }

  @Test
  void a_newcomer_gets_the_place_of_the_one_that_is_waited_for_the_longest() {
    List<EmbeddedChannel> all = Stream.generate(this::connect).limit(4).toList();
    awaits(all.get(2));
    awaits(all.get(0));
    awaits(all.get(3));
    awaits(all.get(2));
    connections.crowd().attended(all.get(3));

    assertThat(connect().isOpen()).isTrue();
    assertThat(all).extracting(EmbeddedChannel::isOpen).containsExactly(false, true, true, true);
    assertThat(connect().isOpen()).isTrue();
    assertThat(all).extracting(EmbeddedChannel::isOpen).containsExactly(false, true, false, true);
    assertThat(closed).containsExactly(ServerObserver.Crowding.SLOW, ServerObserver.Crowding.SLOW);
  }

  @Test
  void where_all_are_being_served_a_newcomer_is_closed_until_others_have_gone() {
    List<EmbeddedChannel> all = Stream.generate(this::connect).limit(4).toList();

    assertThat(connect().isOpen()).isFalse();
    assertThat(all).allMatch(EmbeddedChannel::isOpen);
    assertThat(closed).containsExactly(ServerObserver.Crowding.FULL);
    all.get(0).close().syncUninterruptibly();
    assertThat(connect().isOpen()).isTrue();
    assertThat(gauge).containsExactly(1, 2, 3, 4, 5, 4, 3, 4);
  }

  @Test
  void connections_above_the_bound_of_an_address_are_closed_until_others_have_gone() {
    EmbeddedChannel first = connect("192.0.2.1");
    EmbeddedChannel second = connect("192.0.2.1");
    awaits(first);

    assertThat(connect("192.0.2.1").isOpen()).isFalse();
    assertThat(connect("192.0.2.2").isOpen()).isTrue();
    assertThat(first.isOpen() && second.isOpen()).isTrue();
    assertThat(closed).containsExactly(ServerObserver.Crowding.ADDRESS);
    second.close().syncUninterruptibly();
    assertThat(connect("192.0.2.1").isOpen()).isTrue();
  }

  @Test
  void a_network_of_IPv6_counts_as_one_address() {
    assertThat(connect("2001:db8::1").isOpen() && connect("2001:db8::2").isOpen()).isTrue();
    assertThat(connect("2001:db8::ffff:0:0:3").isOpen()).isFalse();
    assertThat(connect("2001:db8:0:1::1").isOpen()).isTrue();
  }

  @Test
  void for_a_proxy_only_the_bound_on_all_holds() throws UnknownHostException {
    proxies.add(InetAddress.getByName("192.0.2.1"));
    List<EmbeddedChannel> all = Stream.generate(() -> connect("192.0.2.1")).limit(5).toList();
    assertThat(all)
        .extracting(EmbeddedChannel::isOpen)
        .containsExactly(true, true, true, true, false);
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
