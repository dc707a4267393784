package io.feedbridge.websub;

import java.net.IDN;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The parts of an absolute http or https URL that passed the checks every callback and topic must
 * pass: bounded, nothing that could break a request line or a header, no user information, no
 * fragment. Whatever is accepted also parses as a {@link URI} (whose {@code getHost()} is null,
 * though, for a host name with an underscore).
 *
 * @param scheme in lower case
 * @param host as given, or as Punycode if it was not ASCII
 * @param port -1 for none
 * @param rest path and query as given
 */
record HttpUrl(String scheme, String host, int port, String rest) {
  static final int MAX_LENGTH = 2048;

  private static final int MAX_HOST_LENGTH = 253;
  private static final int MAX_PORT = 65_535;
  private static final String NEVER_IN_A_URL = "\"<>\\^`{|}";

  /**
   * Takes a URL apart.
   *
   * @param name the parameter, for the reason
   * @throws BadHubRequestException with the fault of the URL
   */
  static HttpUrl parse(String name, String url) throws BadHubRequestException {
    checkCharacters(name, url);
    String scheme;
    if (url.regionMatches(true, 0, "http://", 0, 7)) {
      scheme = "http";
    } else if (url.regionMatches(true, 0, "https://", 0, 8)) {
      scheme = "https";
    } else {
      throw new BadHubRequestException(name + " must be an absolute http or https URL");
    }
    int start = scheme.length() + 3;
    int end = start;
    while (end < url.length() && "/?".indexOf(url.charAt(end)) < 0) {
      end++;
    }
    String authority = url.substring(start, end);
    if (authority.indexOf('@') >= 0) {
      throw new BadHubRequestException(name + " must not contain a user name or password");
    }
    int colon = authority.indexOf(':', authority.lastIndexOf(']') + 1);
    String host = colon < 0 ? authority : authority.substring(0, colon);
    int port = colon < 0 ? -1 : port(name, authority.substring(colon + 1));
    HttpUrl parsed = new HttpUrl(scheme, host(name, host), port, url.substring(end));
    parsed.checkSyntax(name);
    return parsed;
  }

  /**
   * The URL as topics are compared: scheme and host in lower case, no default port, a path, no
   * percent-encoding of an unreserved character, and all others in capitals (RFC 3986 §6.2).
   */
  String normalized() {
    StringBuilder url =
        new StringBuilder(scheme).append("://").append(host.toLowerCase(Locale.ROOT));
    boolean defaultPort = port == (scheme.equals("http") ? 80 : 443);
    if (port >= 0 && !defaultPort) {
      url.append(':').append(port);
    }
    if (!rest.startsWith("/")) {
      url.append('/');
    }
    return PercentEncoding.normalize(rest, url).toString();
  }

  private static void checkCharacters(String name, String url) throws BadHubRequestException {
    if (url.length() > MAX_LENGTH) {
      throw new BadHubRequestException(name + " is longer than " + MAX_LENGTH + " characters");
    }
    // A store that indexes URLs bounds their bytes.
    if (url.getBytes(StandardCharsets.UTF_8).length > MAX_LENGTH) {
      throw new BadHubRequestException(name + " is longer than " + MAX_LENGTH + " bytes");
    }
    for (int i = 0; i < url.length(); i++) {
      char c = url.charAt(i);
      if (Character.isISOControl(c) || Character.isSpaceChar(c)) {
        throw new BadHubRequestException(
            name + " contains a space or a control character; percent-encode it");
      }
      if (NEVER_IN_A_URL.indexOf(c) >= 0) {
        throw new BadHubRequestException(name + " contains " + c + "; percent-encode it");
      }
      if (c == '%' && !PercentEncoding.isAt(url, i)) {
        throw new BadHubRequestException(
            name + " contains a % that two hexadecimal digits do not follow; write it as %25");
      }
      if (c == '#') {
        throw new BadHubRequestException(
            name + " must not have a fragment (the part behind the #)");
      }
    }
  }

  private static int port(String name, String digits) throws BadHubRequestException {
    if (digits.isEmpty()) {
      return -1;
    }
    if (digits.length() <= 5 && digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      int port = Integer.parseInt(digits);
      if (port > 0 && port <= MAX_PORT) {
        return port;
      }
    }
    throw new BadHubRequestException(
        name + " has a port that is not a number from 1 to " + MAX_PORT);
  }

  private static String host(String name, String given) throws BadHubRequestException {
    String host = given;
    try {
      if (!host.chars().allMatch(c -> c < 0x80)) {
        host = IDN.toASCII(host);
      }
    } catch (IllegalArgumentException e) {
      throw new BadHubRequestException(name + " has a host name that IDNA does not allow");
    }
    // Checked after IDNA, which turns the full-width forms of / and @ into the plain characters.
    boolean address = host.startsWith("[");
    if (host.isEmpty()
        || host.length() > MAX_HOST_LENGTH
        || !(address || host.chars().allMatch(HttpUrl::isHostNameCharacter))) {
      throw new BadHubRequestException(name + " has no valid host name");
    }
    return host;
  }

  private static boolean isHostNameCharacter(int c) {
    return PercentEncoding.isUnreserved(c) && c != '~';
  }

  private void checkSyntax(String name) throws BadHubRequestException {
    try {
      new URI(scheme + "://" + host + rest);
    } catch (URISyntaxException e) {
      throw new BadHubRequestException(
          name + " is not a valid URL: " + Parameters.singleLine(e.getReason()));
    }
  }
}
