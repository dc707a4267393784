package io.feedbridge.gateway.client.address;

import io.feedbridge.gateway.client.address.CallException.Failure;
import io.netty.util.NetUtil;
import java.net.IDN;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A URL taken apart for a request: strictly where two parsers could see different hosts in it, and
 * unchanged in path and query. Each host is called by one spelling: a name in lower case, in ASCII,
 * without a dot at its end. An address in an unusual spelling is refused with an error that names
 * the usual one, so that bounds and patterns on the URL see the host that is dialled.
 *
 * @param literal the address, if the URL names one instead of a host
 * @param hostHeader the host, with the port unless it is the scheme's own (RFC 9110 §7.2)
 * @param requestTarget path and query as they go on the wire (RFC 9112 §3.2.1)
 */
public record Target(
    String url,
    Origin origin,
    @Nullable InetAddress literal,
    String hostHeader,
    String requestTarget) {
  static final int MAX_URL = 8192;
  private static final int MAX_NAME = 253;
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;
  private static final int MAX_PORT = 65_535;
  private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*");
  private static final Pattern NUMERIC_END = Pattern.compile("(.*\\.)?([0-9]+|0x[0-9a-f]*)");
  private static final Pattern PORT = Pattern.compile("0*[1-9][0-9]{0,4}");

  /**
   * Reads a URL.
   *
   * @throws CallException BAD_URL, with the fault in its message
   */
  public static Target parse(String url) throws CallException {
    return parse(url, Target::authority);
  }

  /** The same with a parser that may know the text between scheme and path already. */
  public static Target parse(String url, Authorities authorities) throws CallException {
    if (url.length() > MAX_URL) {
      throw bad("The URL is longer than " + MAX_URL + " characters");
    }
    refuseControls(url);
    boolean secure = startsWith(url, "https://");
    if (!secure && !startsWith(url, "http://")) {
      throw bad("The URL does not begin with http:// or https://");
    }
    int start = url.indexOf("//") + 2;
    int end = endOfAuthority(url, start);
    String authority = url.substring(start, end);
    if (authority.indexOf('@') >= 0) {
      throw bad("The URL holds a user name or password; they are not accepted");
    }
    Authority to = authorities.of(secure, authority);
    return new Target(url, to.origin, to.literal, to.hostHeader, requestTarget(url, end));
  }

  /** The host and always the port (RFC 9112 §3.2.3). */
  public String authority() {
    boolean usual = origin.port() == (origin.secure() ? HTTPS_PORT : HTTP_PORT);
    return usual ? hostHeader + ":" + origin.port() : hostHeader;
  }

  /**
   * Host and port of a URL.
   *
   * @param literal the address, if it names one instead of a host
   * @param hostHeader as {@link Target} has it
   */
  record Authority(Origin origin, @Nullable InetAddress literal, String hostHeader) {}

  /** Parses the text between scheme and path. */
  interface Authorities {
    /** Host and port; throws BAD_URL as {@link Target#parse(String)} does. */
    Authority of(boolean secure, String authority) throws CallException;
  }

  static Authority authority(boolean secure, String authority) throws CallException {
    int colon =
        authority.startsWith("[")
            ? authority.indexOf(':', authority.indexOf(']') + 1)
            : authority.indexOf(':');
    String written = colon < 0 ? authority : authority.substring(0, colon);
    int ownPort = secure ? HTTPS_PORT : HTTP_PORT;
    // An empty port is the scheme's own (RFC 3986 §6.2.3).
    boolean named = colon >= 0 && colon + 1 < authority.length();
    int port = named ? port(authority.substring(colon + 1)) : ownPort;

    InetAddress literal;
    String host;
    String hostHeader;
    if (written.startsWith("[")) {
      literal = ipv6(written);
      hostHeader = written.toLowerCase(Locale.ROOT);
      host = hostHeader.substring(1, hostHeader.length() - 1);
    } else {
      host = name(written);
      literal = NUMERIC_END.matcher(host).matches() ? ipv4(written) : null;
      hostHeader = host;
    }
    return new Authority(
        new Origin(secure, host, port),
        literal,
        port == ownPort ? hostHeader : hostHeader + ":" + port);
  }

  private static void refuseControls(String url) throws CallException {
    for (int i = 0; i < url.length(); i++) {
      char c = url.charAt(i);
      if (c < ' ' || (c >= 0x7f && c < 0xa0)) {
        throw bad("The URL holds a control character");
      }
      boolean paired =
          Character.isHighSurrogate(c)
              ? i + 1 < url.length() && Character.isLowSurrogate(url.charAt(i + 1))
              : i > 0 && Character.isHighSurrogate(url.charAt(i - 1));
      if (Character.isSurrogate(c) && !paired) {
        throw bad("The URL holds half a character");
      }
    }
    if (url.startsWith(" ") || url.endsWith(" ")) {
      throw bad("The URL begins or ends with a space");
    }
  }

  private static boolean startsWith(String url, String scheme) {
    return url.regionMatches(true, 0, scheme, 0, scheme.length());
  }

  private static int endOfAuthority(String url, int start) {
    int end = start;
    while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
      end++;
    }
    return end;
  }

  private static int port(String digits) throws CallException {
    if (!PORT.matcher(digits).matches() || Integer.parseInt(digits) > MAX_PORT) {
      throw bad("The URL's port is not a number from 1 to " + MAX_PORT);
    }
    return Integer.parseInt(digits);
  }

  private static String name(String written) throws CallException {
    String host = written.toLowerCase(Locale.ROOT);
    if (!isAscii(host)) {
      try {
        host = IDN.toASCII(host).toLowerCase(Locale.ROOT);
      } catch (IllegalArgumentException e) {
        throw bad("The URL's host is not a valid internationalized name");
      }
      // Full-width digits and dots become an address here, which is one more way to hide it.
      if (NUMERIC_END.matcher(host).matches()) {
        throw bad("The URL's host is an IP address in disguise");
      }
    }
    // The last dot stands for the root of all names: "example.com." and "example.com" are one host.
    String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    if (name.length() > MAX_NAME || !NAME.matcher(name).matches()) {
      throw bad("The URL has no valid host name");
    }
    return name;
  }

  /**
   * A host whose last label is a number is an address to most software, in one of many spellings;
   * one is accepted.
   */
  private static InetAddress ipv4(String written) throws CallException {
    InetAddress address = NetUtil.createInetAddressFromIpAddressString(written);
    if (!(address instanceof Inet4Address) || !address.getHostAddress().equals(written)) {
      throw bad(
          "The URL's host looks like an IPv4 address, but is not written as four decimal numbers"
              + LooseIpv4.parse(written).map(meant -> ", as " + meant + " is").orElse(""));
    }
    return address;
  }

  private static InetAddress ipv6(String written) throws CallException {
    String text = written.endsWith("]") ? written.substring(1, written.length() - 1) : "";
    InetAddress address =
        text.indexOf('%') >= 0 ? null : NetUtil.createInetAddressFromIpAddressString(text);
    if (!(address instanceof Inet6Address)
        || !NetUtil.toAddressString(address).equals(text.toLowerCase(Locale.ROOT))) {
      throw bad("The URL's host is not an IPv6 address in its canonical form");
    }
    return address;
  }

  private static String requestTarget(String url, int from) {
    int hash = url.indexOf('#', from);
    String rest = url.substring(from, hash < 0 ? url.length() : hash);
    String target = rest.startsWith("/") ? rest : "/" + rest;
    return isAscii(target) && target.indexOf(' ') < 0 ? target : encoded(target);
  }

  private static String encoded(String target) {
    HexFormat hex = HexFormat.of().withUpperCase();
    StringBuilder wire = new StringBuilder(target.length() + 16);
    for (byte b : target.getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ') {
        wire.append((char) b);
      } else {
        wire.append('%').append(hex.toHexDigits(b));
      }
    }
    return wire.toString();
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }

  private static CallException bad(String what) {
    return new CallException(Failure.BAD_URL, what);
  }
}
