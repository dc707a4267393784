package io.feedbridge.rsscloud;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The spans, counts and names that both roles of rssCloud rely on. */
public final class RssCloud {

  /** How long a cloud keeps a registration that is not renewed ("expire after 25 hours"). */
  public static final Duration REGISTRATION_LIFETIME = Duration.ofHours(25);

  /**
   * Consecutive failed notifications after which a registration is marked; the top of the hour then
   * removes it unless a notification succeeds in between.
   */
  public static final int ERRORS_BEFORE_REMOVAL = 3;

  /** Redirects that a notification follows at most. */
  public static final int MAX_NOTIFICATION_REDIRECTS = 5;

  /** Feeds that one registration or ping may name. */
  public static final int MAX_URLS = 100;

  /** Characters that a URL in a message may have; a callback's URL too. */
  public static final int MAX_URL_LENGTH = 2048;

  /** The content type of every form this package writes. */
  public static final String FORM_CONTENT_TYPE = "application/x-www-form-urlencoded";

  /** The procedure by which an aggregator of this package asks to be notified. */
  public static final String NOTIFY_PROCEDURE = "rssCloud.notify";

  private static final Pattern PATH = Pattern.compile("[^:/?#]+://[^/?#]*(/[^?#\"]*)");

  private RssCloud() {}

  /**
   * The {@code SOAPAction} of a registration: the path that it is sent to, in quotes, as UserLand's
   * clouds expect it.
   *
   * @param url absolute; the path may have characters that {@link java.net.URI} does not read
   */
  public static String soapAction(String url) {
    Matcher path = PATH.matcher(url);
    return "\"" + (path.lookingAt() ? path.group(1) : "/") + "\"";
  }
}
