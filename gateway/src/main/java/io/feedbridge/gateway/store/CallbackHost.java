package io.feedbridge.gateway.store;

import java.util.Locale;

/**
 * The host of a callback, or of a hub or cloud. Subscriptions and requests of one host are grouped
 * by it.
 */
public final class CallbackHost {

  private CallbackHost() {}

  /**
   * Host and port of a URL without user and password, in lower case; the store's tables say the
   * same of theirs.
   */
  public static String of(String callback) {
    int scheme = callback.indexOf("://");
    int start = scheme < 0 ? 0 : scheme + "://".length();
    int end = start;
    while (end < callback.length() && "/?#".indexOf(callback.charAt(end)) < 0) {
      end++;
    }
    String authority = callback.substring(start, end);
    return authority.substring(authority.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
  }
}
