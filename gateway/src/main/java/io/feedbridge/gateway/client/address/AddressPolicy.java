package io.feedbridge.gateway.client.address;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses and ports may be called: the public internet, and beyond it only the networks
 * that the operator named for the call's purpose. Immutable.
 */
public final class AddressPolicy {
  // Addresses that IANA's special-purpose registries (RFC 6890 and its updates) list as not
  // globally reachable, or as reachable only by a tunnel.
  private static final Networks BLOCKED =
      Networks.of(
          List.of(
              "0.0.0.0/8",
              "10.0.0.0/8",
              "100.64.0.0/10",
              "127.0.0.0/8",
              "169.254.0.0/16",
              "172.16.0.0/12",
              "192.0.0.0/24",
              "192.0.2.0/24",
              "192.88.99.0/24",
              "192.168.0.0/16",
              "198.18.0.0/15",
              "198.51.100.0/24",
              "203.0.113.0/24",
              "224.0.0.0/4",
              "240.0.0.0/4",
              // Public by number, but inside Azure it is the host's own agent.
              "168.63.129.16/32",
              // Global unicast is 2000::/3 and nothing else; the rest holds loopback, unspecified,
              // IPv4-compatible, the
              // local NAT64 prefix, unique local, link-local, site-local and multicast.
              "::/3",
              "4000::/2",
              "8000::/1",
              // Teredo (which hides an IPv4 address), benchmarking, ORCHID.
              "2001::/23",
              "2001:db8::/32",
              // 6to4, which hides an IPv4 address too.
              "2002::/16",
              "3fff::/20"));

  // The ports that browsers refuse ("bad port" in the Fetch standard), and the ports of further
  // mail, chat, file, desktop and database servers: such a server might take a request for one of
  // its own commands.
  private static final Set<Integer> REFUSED_PORTS =
      Set.of(
          1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
          102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 162,
          179, 194, 389, 427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556,
          563, 587, 601, 636, 873, 989, 990, 992, 993, 994, 995, 1433, 1521, 1719, 1720, 1723, 2049,
          2525, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5222, 5269, 5432, 5900, 6000, 6379, 6566,
          6660, 6661, 6662, 6663, 6664, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 7000, 10080,
          11211);

  private static final int IPV6_LENGTH = 16;
  private static final byte[] MAPPED_PREFIX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};
  private static final byte[] NAT64_PREFIX = {0, 0x64, -1, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};

  // ISATAP (RFC 5214 §6.1): an IPv4 address behind 0:5efe or 200:5efe, under any prefix.
  private static final int ISATAP_AT = 8;
  private static final byte[] ISATAP = {0, 0, 0x5e, (byte) 0xfe};
  private static final byte UNIVERSAL_BIT = 2;

  private final Networks allowedForFetch;
  private final Networks allowedForCallback;

  private final @Nullable OwnAddress own;

  private AddressPolicy(Networks fetch, Networks callback, @Nullable OwnAddress own) {
    allowedForFetch = fetch;
    allowedForCallback = callback;
    this.own = own;
  }

  /**
   * A policy with exceptions.
   *
   * @param fetch networks in CIDR form, or single addresses, that {@link Purpose#FETCH} may reach
   *     although they are blocked
   * @param callback the same for {@link Purpose#CALLBACK}
   * @throws IllegalArgumentException naming the entry that is no network
   */
  public static AddressPolicy allowing(List<String> fetch, List<String> callback) {
    return new AddressPolicy(Networks.of(fetch), Networks.of(callback), null);
  }

  /** The same, and in no network may the gateway be called by itself. */
  public AddressPolicy exceptFor(OwnAddress itself) {
    return new AddressPolicy(allowedForFetch, allowedForCallback, itself);
  }

  /** Whether a URL of this origin leads to the gateway itself, as far as its text tells. */
  boolean isOwn(Origin origin) {
    return own != null && own.isPublic(origin);
  }

  /** Whether a connection to this address and port would reach the gateway itself. */
  public boolean isOwn(InetAddress address, int port) {
    return own != null && own.isListening(address, port);
  }

  /**
   * Why a URL is never called, whatever the addresses of its host are; empty if only these can
   * tell. Looks up no name.
   */
  public Optional<CallException> refusal(Purpose purpose, Target target) {
    Origin origin = target.origin();
    InetAddress literal = target.literal();
    if (!permitsPort(origin.port())) {
      return Optional.of(
          refused("Port %d of %s must not be called".formatted(origin.port(), origin.host())));
    }
    if (isOwn(origin)) {
      return Optional.of(ownAddress(origin.host(), origin.port()));
    }
    if (literal != null && !permits(purpose, literal)) {
      return Optional.of(forbiddenNetwork(origin.host()));
    }
    return literal != null && isOwn(literal, origin.port())
        ? Optional.of(ownAddress(origin.host(), origin.port()))
        : Optional.empty();
  }

  /** The same of a URL as text, as a sentence; one that is not a URL to call is refused too. */
  public Optional<String> refusal(Purpose purpose, String url) {
    try {
      return refusal(purpose, Target.parse(url)).map(CallException::getMessage);
    } catch (CallException e) {
      return Optional.ofNullable(e.getMessage());
    }
  }

  /** The failure of a call that leads to the gateway itself. */
  public static CallException ownAddress(String host, int port) {
    return refused(
        "%s, port %d, is this gateway itself, which it does not call".formatted(host, port));
  }

  /** The failure of a call to a host with an address that is not permitted. */
  public static CallException forbiddenNetwork(String host) {
    return refused(host + " is in a network that must not be called; the operator can allow it");
  }

  private static CallException refused(String why) {
    return new CallException(CallException.Failure.ADDRESS_REFUSED, why);
  }

  /**
   * Whether the address may be dialled. An IPv4 address mapped into IPv6, or behind NAT64, is
   * judged as that IPv4 address.
   */
  public boolean permits(Purpose purpose, InetAddress address) {
    InetAddress judged = embeddedIpv4(address);
    Networks allowed =
        switch (purpose) {
          case FETCH -> allowedForFetch;
          case CALLBACK -> allowedForCallback;
        };
    boolean blocked = BLOCKED.contains(judged) || isIsatap(judged.getAddress());
    return !blocked || allowed.contains(judged);
  }

  private static boolean isIsatap(byte[] bytes) {
    return bytes.length == IPV6_LENGTH
        && (bytes[ISATAP_AT] & ~UNIVERSAL_BIT) == 0
        && Arrays.equals(bytes, ISATAP_AT + 1, ISATAP_AT + ISATAP.length, ISATAP, 1, ISATAP.length);
  }

  /** Whether the port may be dialled, whatever the address. */
  boolean permitsPort(int port) {
    return !REFUSED_PORTS.contains(port);
  }

  /** The IPv4 address behind one that is mapped into IPv6 or behind NAT64; else the same. */
  static InetAddress embeddedIpv4(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (address instanceof Inet4Address || bytes.length != IPV6_LENGTH) {
      return address;
    }
    if (!startsWith(bytes, MAPPED_PREFIX) && !startsWith(bytes, NAT64_PREFIX)) {
      return address;
    }
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(bytes, MAPPED_PREFIX.length, IPV6_LENGTH));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are always an address", e);
    }
  }

  private static boolean startsWith(byte[] bytes, byte[] prefix) {
    return Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }
}
