package io.feedbridge.gateway.bench.data;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The loopback addresses on which the sink or the origin listens, all at the same port: to the
 * gateway each is a host of its own.
 *
 * @param count of them, at most {@value #MAX}
 */
public record Hosts(int count, int port) {

  static final int MAX = 250;

  private static final String FEEDS = "/feed/";

  public Hosts {
    if (count < 1 || count > MAX) {
      throw new IllegalArgumentException("1 to " + MAX + " hosts");
    }
  }

  /** The address of one, from 127.0.1.1 on. */
  public static String address(int host) {
    return "127.0.1." + (host + 1);
  }

  public static InetAddress inetAddress(int host) {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (host + 1)});
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }

  /**
   * The host of a number: consecutive numbers go to consecutive hosts, so that each has as many.
   */
  public int hostOf(int number) {
    return number % count;
  }

  /** The callback of a subscription. */
  public String callback(int subscription) {
    return "http://%s:%d%s"
        .formatted(address(hostOf(subscription)), port, path(Sender.GATEWAY, subscription));
  }

  /** The topic of a feed. */
  public String topic(int feed) {
    return "http://%s:%d%s".formatted(address(hostOf(feed)), port, feedPath(feed));
  }

  /** The topics of the feeds of the first host, without their numbers. */
  public String topics() {
    return "http://%s:%d%s".formatted(address(0), port, FEEDS);
  }

  public static String feedPath(int feed) {
    return FEEDS + feed;
  }

  /** The sender of a delivery, which the sink recognises by the path. */
  public enum Sender {
    GATEWAY("/s/"),
    REFERENCE("/r/");

    private final String prefix;

    Sender(String prefix) {
      this.prefix = prefix;
    }
  }

  public static String path(Sender sender, int subscription) {
    return sender.prefix + subscription;
  }
}
