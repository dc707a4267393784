package io.feedbridge.rsscloud;

/** A part of a message breaks a rule; each message turns it into its own public exception. */
final class MalformedException extends RssCloudException {

  MalformedException(String message) {
    super(message);
  }
}
