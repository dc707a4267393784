package io.feedbridge.gateway.bench;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The loopback addresses on which the sink or the origin listens, all at the same port: to the
 * gateway each is a host of its own.
 *
 * @param count of them, at most {@value #MAX}
 */
record Hosts(int count, int port) {

  static final int MAX = 250;

  Hosts {
    if (count < 1 || count > MAX) {
      throw new IllegalArgumentException("1 to " + MAX + " hosts");
    }
  }

  /** The address of one, from 127.0.1.1 on. */
  static String address(int host) {
    return "127.0.1." + (host + 1);
  }

  static InetAddress inetAddress(int host) {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (host + 1)});
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }

  /** Those of one after the other, so that each of them has as many as any other. */
  int hostOf(int number) {
    return number % count;
  }

  /** The callback of a subscription. */
  String callback(int subscription) {
    return "http://%s:%d%s"
        .formatted(address(hostOf(subscription)), port, path(Sender.GATEWAY, subscription));
  }

  /** The topic of a feed. */
  String topic(int feed) {
    return "http://%s:%d%s".formatted(address(hostOf(feed)), port, feedPath(feed));
  }

  static String feedPath(int feed) {
    return "/feed/" + feed;
  }

  /** Who sends, which the sink tells by the path. */
  enum Sender {
    GATEWAY("/s/"),
    REFERENCE("/r/");

    private final String prefix;

    Sender(String prefix) {
      this.prefix = prefix;
    }
  }

  static String path(Sender sender, int subscription) {
    return sender.prefix + subscription;
  }
}
