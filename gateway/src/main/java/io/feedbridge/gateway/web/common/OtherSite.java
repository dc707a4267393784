package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.server.message.Request;
import java.util.List;
import java.util.Locale;

/** Tells whether a page of another site made a browser send a request. */
public final class OtherSite {

  private OtherSite() {}

  /**
   * Whether a sign shows that another site's page caused the request: {@code Origin}, {@code
   * Sec-Fetch-Site}, or {@code Referer} of a browser that sends no {@code Sec-Fetch-Site}. A link
   * or a window of another site counts too. A client that is no browser sends none of them.
   */
  public static boolean caused(Request request) {
    String host = request.header("Host").orElse("").toLowerCase(Locale.ROOT);
    List<String> sites = request.headers().all("Sec-Fetch-Site");
    return !request.headers().all("Origin").stream().allMatch(origin -> isOf(origin, host))
        || !sites.stream().allMatch(site -> site.equals("same-origin") || site.equals("none"))
        || (sites.isEmpty()
            && !request.headers().all("Referer").stream()
                .allMatch(referer -> isOf(origin(referer), host)));
  }

  private static boolean isOf(String origin, String host) {
    String lower = origin.toLowerCase(Locale.ROOT);
    return lower.equals("http://" + host) || lower.equals("https://" + host);
  }

  /** A URL up to its path. */
  private static String origin(String url) {
    int path = url.indexOf('/', url.indexOf("://") + 3);
    return path < 0 ? url : url.substring(0, path);
  }
}
