package io.feedbridge.rsscloud;

import java.net.URI;
import java.time.Duration;

/** What both roles of rssCloud agree on: spans, counts and names that every party relies on. */
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

  private RssCloud() {}

  /**
   * The {@code SOAPAction} of a call: the path that it is sent to, in quotes.
   *
   * @param url as this package makes them: absolute, readable by {@link URI}
   */
  public static String soapAction(String url) {
    String path = URI.create(url).getRawPath();
    return "\"" + (path.isEmpty() ? "/" : path) + "\"";
  }
}
