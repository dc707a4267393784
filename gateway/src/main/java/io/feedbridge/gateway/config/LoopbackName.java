package io.feedbridge.gateway.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** The hosts of URLs that stand for this machine alone; no DNS is asked for any. */
public final class LoopbackName {

  /** Strict, since text that is no address would be looked up as a name. */
  private static final Pattern V4 =
      Pattern.compile("127(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}");

  private LoopbackName() {}

  /** Whether a host is {@code localhost}, an address in 127.0.0.0/8, or {@code [::1]}. */
  public static boolean is(String host) {
    if (host.equalsIgnoreCase("localhost") || V4.matcher(host).matches()) {
      return true;
    }
    try {
      // In brackets nothing but an address is taken.
      return host.startsWith("[") && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException notAnAddress) {
      return false;
    }
  }
}
