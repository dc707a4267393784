package io.feedbridge.rsscloud;

/** An answer of a cloud that is neither a result in XML nor one in JSON; the message says why. */
public final class BadResultException extends RssCloudException {

  BadResultException(String message) {
    super(message);
  }
}
