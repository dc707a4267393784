package io.feedbridge.rsscloud;

/** A text that a cloud was to save and that is no RSS document; the message says why. */
public final class BadRssException extends RssCloudException {

  BadRssException(String message) {
    super(message);
  }
}
