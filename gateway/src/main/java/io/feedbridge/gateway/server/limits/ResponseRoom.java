package io.feedbridge.gateway.server.limits;

import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory of responses that were written and that clients have not taken yet, all together.
 * Where the bound is passed, connections are closed until it holds: of the address that holds most,
 * the one whose response is the oldest. So a client that asks for much and reads nothing makes room
 * for other clients. Thread-safe; nothing in it takes long.
 */
public final class ResponseRoom {
  private final long most;
  private final ServerObserver observer;
  private final Map<Channel, Holding> loginSubscriptions = new LinkedHashMap<>();
  private final IdentityHashMap<byte[], Integer> bodies = new IdentityHashMap<>();
  private long taken;

  /**
   * An empty room.
   *
   * @param most bytes that clients may leave untaken
   * @param observer is told of each connection that is closed for the room
   */
  public ResponseRoom(long most, ServerObserver observer) {
    this.most = most;
    this.observer = observer;
  }

  /** The memory that one connection holds. */
  private static final class Holding {
    private final Object address;
    private final List<byte[]> bodies = new ArrayList<>(1);
    private long buffered;

    Holding(Object address) {
      this.address = address;
    }

    long bytes() {
      return buffered + bodies.stream().mapToLong(body -> body.length).sum();
    }
  }

  /**
   * A response was written to a connection.
   *
   * @param buffered bytes of buffers that are the connection's alone
   * @param body an array that stays in memory until it was taken, and counts once for all the
   *     connections that it is written to; null for none
   */
  public void take(Channel channel, long buffered, byte @Nullable [] body) {
    List<Channel> givingWay = new ArrayList<>();
    synchronized (this) {
      if (!channel.isActive()) {
        return;
      }
      Holding holding = loginSubscriptions.computeIfAbsent(channel, ResponseRoom::begin);
      holding.buffered += buffered;
      taken += buffered;
      if (body != null) {
        holding.bodies.add(body);
        taken += bodies.merge(body, 1, Integer::sum) == 1 ? body.length : 0;
      }
      // The last one stays: a response may be larger than the whole room.
      while (taken > most && loginSubscriptions.size() > 1) {
        Channel next = oldestOfTheBiggest();
        free(next);
        givingWay.add(next);
      }
    }
    for (Channel other : givingWay) {
      observer.connectionClosed(ServerObserver.Crowding.UNREAD);
      var unused = other.close();
    }
  }

  private static Holding begin(Channel channel) {
    SocketAddress from = channel.remoteAddress();
    return new Holding(from == null ? channel : Crowd.neighbourhood(from));
  }

  private Channel oldestOfTheBiggest() {
    Map<Object, Long> byAddress = new HashMap<>();
    loginSubscriptions
        .values()
        .forEach(one -> byAddress.merge(one.address, one.bytes(), Long::sum));
    Object biggest =
        byAddress.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
    return loginSubscriptions.entrySet().stream()
        .filter(one -> one.getValue().address.equals(biggest))
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  /**
   * The client has taken bytes given to {@link #take}; does nothing if the connection was freed.
   */
  public synchronized void give(Channel channel, long buffered, byte @Nullable [] body) {
    Holding holding = loginSubscriptions.get(channel);
    if (holding == null) {
      return;
    }
    holding.buffered -= buffered;
    taken -= buffered;
    if (body != null) {
      removeOne(holding.bodies, body);
    }
    if (holding.buffered == 0 && holding.bodies.isEmpty()) {
      loginSubscriptions.remove(channel);
    }
  }

  private void removeOne(List<byte[]> held, byte[] body) {
    Iterator<byte[]> each = held.iterator();
    while (each.hasNext()) {
      if (each.next() == body) {
        each.remove();
        released(body);
        return;
      }
    }
  }

  private void released(byte[] body) {
    Integer left = bodies.computeIfPresent(body, (any, count) -> count == 1 ? null : count - 1);
    taken -= left == null ? body.length : 0;
  }

  /** The connection is closed. */
  public synchronized void free(Channel channel) {
    Holding holding = loginSubscriptions.remove(channel);
    if (holding != null) {
      taken -= holding.buffered;
      holding.bodies.forEach(this::released);
    }
  }

  public synchronized long taken() {
    return taken;
  }
}
