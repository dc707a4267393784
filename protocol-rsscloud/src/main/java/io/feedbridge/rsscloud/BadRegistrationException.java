package io.feedbridge.rsscloud;

/**
 * A registration that a cloud refuses; the message is the {@code msg} of its {@link NotifyResult}.
 */
public final class BadRegistrationException extends RssCloudException {

  BadRegistrationException(String message) {
    super(message);
  }
}
