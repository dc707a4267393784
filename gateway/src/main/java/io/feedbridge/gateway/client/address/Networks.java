package io.feedbridge.gateway.client.address;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** A set of networks. Immutable; no name is ever looked up. */
public final class Networks {

  private static final int IPV6_LENGTH = 16;
  private static final int IPV6_SUBSCRIBER_LENGTH = 8;

  private final List<IpSubnetFilterRule> rules;

  private Networks(List<IpSubnetFilterRule> rules) {
    this.rules = rules;
  }

  /**
   * Some networks.
   *
   * @param cidrs in CIDR form, or single addresses
   * @throws IllegalArgumentException naming the entry that is no network
   */
  public static Networks of(List<String> cidrs) {
    return new Networks(cidrs.stream().map(Networks::network).toList());
  }

  /** Whether an address is in one of them. */
  public boolean contains(InetAddress address) {
    InetSocketAddress judged = new InetSocketAddress(address, 0);
    for (IpSubnetFilterRule rule : rules) {
      if (rule.matches(judged)) {
        return true;
      }
    }
    return false;
  }

  /** The address that a literal stands for, IPv6 with or without brackets; empty for all else. */
  public static Optional<InetAddress> address(String literal) {
    boolean bracketed = literal.startsWith("[") && literal.endsWith("]");
    String bare = bracketed ? literal.substring(1, literal.length() - 1) : literal;
    // The zone of a link-local address names a link of the sender's machine, unknown here.
    return bare.indexOf('%') >= 0
        ? Optional.empty()
        : Optional.ofNullable(NetUtil.createInetAddressFromIpAddressString(bare));
  }

  /** One machine, or one subscriber's network: an IPv4 address, or an IPv6 /64 in hexadecimal. */
  public static String neighbourhood(InetAddress address) {
    return address instanceof Inet6Address
        ? HexFormat.of().formatHex(address.getAddress(), 0, IPV6_SUBSCRIBER_LENGTH)
        : address.getHostAddress();
  }

  private static IpSubnetFilterRule network(String cidr) {
    int slash = cidr.indexOf('/');
    String literal = slash < 0 ? cidr : cidr.substring(0, slash);
    // Parsed here, since the rule's own constructor would look a name up.
    InetAddress address =
        Optional.of(literal)
            .filter(text -> text.indexOf('[') < 0)
            .flatMap(Networks::address)
            .orElseThrow(() -> notANetwork(cidr));
    int most = address instanceof Inet4Address ? Integer.SIZE : IPV6_LENGTH * Byte.SIZE;
    int prefix = most;
    if (slash >= 0) {
      String digits = cidr.substring(slash + 1);
      if (!digits.matches("[0-9]{1,3}") || Integer.parseInt(digits) > most) {
        throw notANetwork(cidr);
      }
      prefix = Integer.parseInt(digits);
    }
    return new IpSubnetFilterRule(address, prefix, IpFilterRuleType.REJECT);
  }

  private static IllegalArgumentException notANetwork(String cidr) {
    return new IllegalArgumentException(
        "'"
            + cidr
            + "' is not a network; write an address with a prefix length, such as 10.0.0.0/8 or fd00::/8");
  }
}
