package io.feedbridge.rsscloud;

/** A ping that a cloud refuses; the message is the {@code msg} of its {@link PingResult}. */
public final class BadPingException extends RssCloudException {

  BadPingException(String message) {
    super(message);
  }
}
