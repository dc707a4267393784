package io.feedbridge.rsscloud;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the host of a URL, without ever resolving it. */
final class Host {

  private static final int MAX_LENGTH = 253;

  /** Standards for host names allow no underscores, but the names of existing blogs have them. */
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9_-]{1,63}(?:\\.[a-z0-9_-]{1,63}){0,126}");

  private static final Pattern NUMERIC_LAST_LABEL =
      Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");

  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");

  private static final Pattern IPV6_CHARACTERS = Pattern.compile("[0-9a-fA-F:.]{2,45}");

  private Host() {}

  /**
   * The host in the form that a URL needs: lower case, international names in ASCII, no dot at the
   * end, IPv6 in brackets; empty if the text is no host name or IP literal.
   */
  static Optional<String> parse(String text) {
    if (text.isEmpty() || text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    if (text.indexOf(':') >= 0) {
      return ipv6(text);
    }
    String ascii;
    try {
      ascii = isAscii(text) ? text : IDN.toASCII(text);
    } catch (IllegalArgumentException | IndexOutOfBoundsException notAName) {
      return Optional.empty();
    }
    String name = ascii.toLowerCase(Locale.ROOT);
    if (name.endsWith(".")) {
      name = name.substring(0, name.length() - 1);
    }
    // Checked after the conversion, which turns some letters into slashes, dots and colons.
    if (name.length() > MAX_LENGTH || !NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    // "127.1" and "0x7f000001" are addresses to some resolvers and names to others.
    if (NUMERIC_LAST_LABEL.matcher(name).matches() && !IPV4.matcher(name).matches()) {
      return Optional.empty();
    }
    return Optional.of(name);
  }

  private static Optional<String> ipv6(String text) {
    boolean bracketed = text.startsWith("[") && text.endsWith("]");
    String address = bracketed ? text.substring(1, text.length() - 1) : text;
    if (!IPV6_CHARACTERS.matcher(address).matches()) {
      return Optional.empty();
    }
    String host = "[" + address.toLowerCase(Locale.ROOT) + "]";
    try {
      new URI("http://" + host + "/").parseServerAuthority();
    } catch (URISyntaxException notAnAddress) {
      return Optional.empty();
    }
    return Optional.of(host);
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 0x80);
  }
}
