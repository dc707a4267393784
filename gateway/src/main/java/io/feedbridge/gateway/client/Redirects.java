package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.Target;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The request that follows a redirect (RFC 9110 §15.4), and the URL it leads to (RFC 3986 §5.2).
 */
final class Redirects {
  private static final Set<Integer> STATUSES = Set.of(301, 302, 303, 307, 308);
  private static final Set<Integer> METHOD_KEPT = Set.of(307, 308);
  private static final Pattern SCHEME =
      Pattern.compile("^[a-zA-Z][a-zA-Z0-9+.-]*:.*", Pattern.DOTALL);

  // These fields are meant only for the server that the caller addressed.
  private static final Set<String> SENSITIVE =
      Set.of(
          "authorization",
          "proxy-authorization",
          "cookie",
          "x-hub-signature",
          "x-hub-signature-256",
          "webhook-signature");

  // About the URL that gave them (RFC 9110 §13.1), which no redirect leads to as a rule.
  private static final Set<String> VALIDATORS = Set.of("if-none-match", "if-modified-since");

  private Redirects() {}

  static boolean isRedirect(int status) {
    return STATUSES.contains(status);
  }

  /**
   * The request that a redirect asks for.
   *
   * @throws CallException BAD_URL if it leads to no usable URL, ADDRESS_REFUSED if a callback's
   *     leads from https to http
   */
  static Request next(Request request, Call call, int status, String location)
      throws CallException {
    Target target = target(request.target(), location);
    boolean downgraded = request.target().origin().secure() && !target.origin().secure();
    if (downgraded && call.purpose() == Purpose.CALLBACK) {
      throw new CallException(
          Failure.ADDRESS_REFUSED,
          request.target().origin().host()
              + " redirected from https to http, which is not followed for a callback");
    }
    List<Header> headers = without(VALIDATORS, request.headers());
    if (!target.origin().equals(request.target().origin())) {
      headers = without(SENSITIVE, headers);
    }
    // An rssCloud notification or registration means nothing as a GET, so its POST stays a POST.
    // Elsewhere the web's practice holds: after 301, 302 and 303 the request becomes a GET without
    // the body
    // and the fields that described it.
    if (request.method() == Call.Method.GET
        || call.purpose() == Purpose.CALLBACK
        || call.keepsMethod()
        || METHOD_KEPT.contains(status)) {
      return new Request(request.method(), target, headers, request.body());
    }
    headers =
        headers.stream()
            .filter(h -> !h.name().toLowerCase(Locale.ROOT).startsWith("content-"))
            .toList();
    return new Request(Call.Method.GET, target, headers, new byte[0]);
  }

  private static List<Header> without(Set<String> names, List<Header> headers) {
    return headers.stream()
        .filter(h -> !names.contains(h.name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  private static Target target(Target base, String location) throws CallException {
    try {
      return Target.parse(resolve(base, utf8(location)));
    } catch (CallException e) {
      throw new CallException(
          e.failure(),
          base.origin().host() + " redirected to an unusable URL: " + e.getMessage(),
          e);
    }
  }

  /** Servers send the field in UTF-8 although it was read as ISO-8859-1. */
  private static String utf8(String location) {
    return new String(location.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /**
   * The absolute form of a reference. Dot segments are removed only where merging two paths makes
   * it necessary.
   */
  static String resolve(Target base, String reference) {
    if (SCHEME.matcher(reference).matches()) {
      return reference;
    }
    String scheme = base.origin().secure() ? "https:" : "http:";
    if (reference.startsWith("//")) {
      return scheme + reference;
    }
    String root = scheme + "//" + base.hostHeader();
    String target = base.requestTarget();
    String path = target.substring(0, queryStart(target));
    if (reference.isEmpty() || reference.startsWith("#")) {
      return root + target;
    }
    if (reference.startsWith("?")) {
      return root + path + reference;
    }
    int query = queryStart(reference);
    String merged =
        reference.startsWith("/")
            ? reference.substring(0, query)
            : path.substring(0, path.lastIndexOf('/') + 1) + reference.substring(0, query);
    return root + withoutDots(merged) + reference.substring(query);
  }

  private static int queryStart(String reference) {
    for (int i = 0; i < reference.length(); i++) {
      if (reference.charAt(i) == '?' || reference.charAt(i) == '#') {
        return i;
      }
    }
    return reference.length();
  }

  private static String withoutDots(String path) {
    if (!path.contains("/.")) {
      return path;
    }
    Deque<String> kept = new ArrayDeque<>();
    String[] segments = path.substring(1).split("/", -1);
    for (int i = 0; i < segments.length; i++) {
      boolean last = i == segments.length - 1;
      boolean up = segments[i].equals("..");
      if (up) {
        kept.pollLast();
      }
      if (!up && !segments[i].equals(".")) {
        kept.addLast(segments[i]);
      } else if (last) {
        kept.addLast("");
      }
    }
    return "/" + String.join("/", kept);
  }
}
