package io.feedbridge.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * The callback of those who want to retrieve a feed and not to be notified. In the store it has the
 * login behind a {@code #}, which no other callback can have: it is the callback of many, and each
 * has a subscription of its own.
 */
public final class NullDevice {

  private static final String PATH = "/dev/null";

  private NullDevice() {}

  /** The one of a gateway, as subscribers name it. */
  public static String at(String publicUrl) {
    return publicUrl + PATH;
  }

  /** That of a login, as it is stored. */
  public static String of(String publicUrl, @Nullable String login) {
    return at(publicUrl) + '#' + (login == null ? "" : login);
  }

  /** Whether a stored callback is one, of this gateway or as it was called before. */
  public static boolean is(String callback) {
    return callback.contains(PATH + '#');
  }

  /** A stored callback as its subscriber named it. */
  public static String named(String callback) {
    return is(callback) ? callback.substring(0, callback.indexOf('#')) : callback;
  }
}
