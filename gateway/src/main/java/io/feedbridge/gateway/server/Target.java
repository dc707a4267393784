package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request target (RFC 9112 §3.2), decoded and normalised.
 *
 * @param authority host and port of the absolute form, empty in the others
 * @param segments the path's segments, split before they were decoded: an encoded slash does not
 *     separate; empty for the asterisk form
 * @param rawPath the path as sent
 * @param rawQuery the query as sent, without the question mark
 */
record Target(
    Optional<String> authority,
    List<String> segments,
    String rawPath,
    String rawQuery,
    Map<String, List<String>> query) {

  /** The asterisk form, which asks about the server as a whole. */
  boolean isServerWide() {
    return segments.isEmpty();
  }

  String path() {
    return isServerWide() ? "*" : "/" + String.join("/", segments);
  }

  /**
   * Reads the origin, absolute or asterisk form. The authority form belongs to CONNECT alone.
   *
   * @throws BadRequestException at any other form, bad percent-encoding, characters that no URI
   *     holds (raw or encoded control characters, NUL above all) and {@code ..} segments
   */
  public static Target parse(String target) {
    if (target.equals("*")) {
      return new Target(Optional.empty(), List.of(), "*", "", Map.of());
    }
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '#') {
        throw new BadRequestException(
            "the request target holds a character that must be percent-encoded");
      }
    }
    if (target.startsWith("/")) {
      return parse(Optional.empty(), target);
    }
    int start = schemeLength(target);
    int end = start;
    while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
      end++;
    }
    String authority = target.substring(start, end);
    if (!HostRule.isValid(authority)) {
      throw new BadRequestException("the request target has no valid host");
    }
    String rest = target.substring(end);
    return parse(Optional.of(authority), rest.startsWith("/") ? rest : "/" + rest);
  }

  private static int schemeLength(String target) {
    String start = target.substring(0, Math.min(target.length(), 8)).toLowerCase(Locale.ROOT);
    if (start.startsWith("http://")) {
      return "http://".length();
    }
    if (start.startsWith("https://")) {
      return "https://".length();
    }
    throw new BadRequestException("the request target must be a path or an http URL");
  }

  private static Target parse(Optional<String> authority, String pathAndQuery) {
    int mark = pathAndQuery.indexOf('?');
    String path = mark < 0 ? pathAndQuery : pathAndQuery.substring(0, mark);
    String query = mark < 0 ? "" : pathAndQuery.substring(mark + 1);
    return new Target(authority, segments(path), path, query, Parameters.parse(query));
  }

  private static List<String> segments(String path) {
    List<String> segments = new ArrayList<>();
    for (int start = 1; start <= path.length(); ) {
      int end = path.indexOf('/', start);
      end = end < 0 ? path.length() : end;
      String segment = Parameters.decode(path.substring(start, end), false);
      refuse(segment);
      boolean last = end == path.length();
      if (!segment.equals(".")) {
        segments.add(segment);
      } else if (last) {
        segments.add("");
      }
      start = end + 1;
    }
    return List.copyOf(segments);
  }

  /** RFC 3986 §7.3 and §6.2.2.3: nothing here has a parent that a client may climb to. */
  private static void refuse(String segment) {
    if (segment.equals("..")) {
      throw new BadRequestException("the path must not contain '..'");
    }
    if (segment.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
      throw new BadRequestException("the path must not contain control characters");
    }
  }
}
