package io.feedbridge.gateway.server.limits;

import io.netty.channel.Channel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The connected clients: how many there are from each address, and for which of them the server
 * waits, the longest wait first. Thread-safe; no method takes long.
 */
public final class Crowd {
  /** Of an IPv6 address: one customer has a whole such network (RFC 6177). */
  private static final int NETWORK_BYTES = 8;

  private final Map<Object, Integer> byAddress = new HashMap<>();
  private final Set<Channel> awaited = new LinkedHashSet<>();

  /** A client has connected from there; returns how many there are now. */
  int join(SocketAddress from) {
    synchronized (byAddress) {
      return byAddress.merge(neighbourhood(from), 1, Integer::sum);
    }
  }

  /** A client from there has gone, and nothing more will come from it. */
  void leave(SocketAddress from, Channel channel) {
    synchronized (byAddress) {
      byAddress.computeIfPresent(
          neighbourhood(from), (any, count) -> count == 1 ? null : count - 1);
    }
    attended(channel);
  }

  /** From now on the client is to send something. */
  public void await(Channel channel) {
    synchronized (awaited) {
      awaited.remove(channel);
      if (channel.isActive()) {
        awaited.add(channel);
      }
    }
  }

  /** From now on the server waits for nothing from the client. */
  public void attended(Channel channel) {
    synchronized (awaited) {
      awaited.remove(channel);
    }
  }

  /** Takes out the one for which the server has waited the longest. */
  Optional<Channel> longestAwaited() {
    synchronized (awaited) {
      Iterator<Channel> channels = awaited.iterator();
      if (!channels.hasNext()) {
        return Optional.empty();
      }
      Channel longest = channels.next();
      channels.remove();
      return Optional.of(longest);
    }
  }

  /**
   * The key by which clients are counted: an IPv4 address, or an IPv6 network of {@value
   * #NETWORK_BYTES} bytes.
   */
  static Object neighbourhood(SocketAddress from) {
    InetAddress address = from instanceof InetSocketAddress inet ? inet.getAddress() : null;
    if (address instanceof Inet6Address) {
      return ByteBuffer.wrap(address.getAddress(), 0, NETWORK_BYTES).slice();
    }
    return address == null ? from : address;
  }
}
