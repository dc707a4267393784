package io.feedbridge.rsscloud;

import static io.feedbridge.rsscloud.RssCloud.MAX_URL_LENGTH;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rule for every URL in a message, and the building of one from the parts of a message. */
final class WebUrl {

  static final int HTTP_PORT = 80;
  static final int HTTPS_PORT = 443;

  private static final Pattern AUTHORITY = Pattern.compile("(\\[[^\\]]*\\]|[^:]*)(?::(\\d{0,5}))?");
  private static final Pattern PORT = Pattern.compile("\\d{1,5}");
  private static final int MAX_PORT = 65535;
  private static final int MAX_QUOTED_LENGTH = 120;

  private WebUrl() {}

  /**
   * The problem of a URL, worded to follow the URL's name ("is not …"); empty if the URL is an
   * absolute http or https URL that {@link URI} can read, short enough and without user
   * information.
   */
  static Optional<String> problem(String url) {
    if (url.length() > MAX_URL_LENGTH) {
      return Optional.of("is longer than " + MAX_URL_LENGTH + " characters");
    }
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      return Optional.of("is not a URL: " + e.getReason());
    }
    String scheme = uri.getScheme();
    String authority = uri.getRawAuthority();
    if (authority == null
        || !("http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme))) {
      return Optional.of("is not an absolute http or https URL");
    }
    if (authority.indexOf('@') >= 0) {
      return Optional.of("must not carry a user name or password");
    }
    Matcher parts = AUTHORITY.matcher(authority);
    if (!parts.matches() || Host.parse(parts.group(1)).isEmpty()) {
      return Optional.of("has no valid host");
    }
    String port = parts.group(2);
    if (port != null && !port.isEmpty() && port(port).isEmpty()) {
      return Optional.of("has a port outside of 1 to " + MAX_PORT);
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(url)) {
      return Optional.of("is not valid Unicode");
    }
    return Optional.empty();
  }

  /** Whether nothing is wrong with the URL. */
  static boolean isValid(String url) {
    return problem(url).isEmpty();
  }

  /** A port of 1 to 65535 written in digits, or empty. */
  static Optional<Integer> port(String text) {
    if (!PORT.matcher(text).matches()) {
      return Optional.empty();
    }
    int port = Integer.parseInt(text);
    return port >= 1 && port <= MAX_PORT ? Optional.of(port) : Optional.empty();
  }

  /**
   * The URL of a host, a port and a path with or without leading slash, whose query is kept to the
   * byte. The scheme's own port is left out, since some servers redirect when they see it.
   *
   * @param host as {@link Host#parse} returns it
   * @throws MalformedException if the path cannot stand in a request line as it is
   */
  static String of(boolean https, String host, int port, String path) throws MalformedException {
    if (path.indexOf('#') >= 0) {
      throw new MalformedException("path must not have a fragment (#)");
    }
    if (!path.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
      throw new MalformedException(
          "path has white space, control or non-ASCII characters: percent-encode them");
    }
    String origin = (https ? "https://" : "http://") + host;
    boolean ownPort = port == (https ? HTTPS_PORT : HTTP_PORT);
    String slash = path.startsWith("/") ? "" : "/";
    String url = origin + (ownPort ? "" : ":" + port) + slash + path;
    Optional<String> problem = problem(url);
    if (problem.isPresent()) {
      throw new MalformedException("the address " + quoted(url) + " " + problem.get());
    }
    return url;
  }

  /** Adds parameters to a URL that may have a query already, and has no fragment. */
  static String withQuery(String url, String parameters) {
    if (url.indexOf('?') < 0) {
      return url + "?" + parameters;
    }
    boolean open = url.endsWith("?") || url.endsWith("&");
    return url + (open ? "" : "&") + parameters;
  }

  /** Hostile text made fit for a message: shortened, with no control characters. */
  static String quoted(String text) {
    boolean cut = text.length() > MAX_QUOTED_LENGTH;
    String shown = cut ? text.substring(0, MAX_QUOTED_LENGTH) : text;
    return "'" + shown.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?") + (cut ? "…" : "") + "'";
  }
}
