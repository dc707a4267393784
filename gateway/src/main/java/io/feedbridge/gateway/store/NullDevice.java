package io.feedbridge.gateway.store;

import org.jspecify.annotations.Nullable;

/**
 * The callback of subscribers that retrieve a feed and receive no notifications. The stored
 * callback ends in {@code #} and the login, which no other callback can have. Many logins use this
 * callback, and each login has a subscription of its own.
 */
public final class NullDevice {

  private static final String PATH = "/dev/null";

  private NullDevice() {}

  /** The callback of a gateway, as subscribers name it. */
  public static String at(String publicUrl) {
    return publicUrl + PATH;
  }

  /** The stored callback of a login. */
  public static String of(String publicUrl, @Nullable String login) {
    return at(publicUrl) + '#' + (login == null ? "" : login);
  }

  /** Whether a stored callback is of this kind, under any public URL of the gateway. */
  public static boolean is(String callback) {
    return callback.contains(PATH + '#');
  }

  /** A stored callback as its subscriber named it. */
  public static String named(String callback) {
    return is(callback) ? callback.substring(0, callback.indexOf('#')) : callback;
  }
}
