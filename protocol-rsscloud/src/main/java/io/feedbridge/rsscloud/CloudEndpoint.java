package io.feedbridge.rsscloud;

/** Where an aggregator registers for a feed, as the feed says. */
public sealed interface CloudEndpoint permits CloudElement, SourceCloud {

  /** The URL to call, valid and with no user information. */
  String registrationUrl();

  /** The protocol that the cloud is called by, and notifies by. */
  CloudProtocol protocol();

  /** Whether a {@link RegistrationForm} can be posted to it. */
  default boolean isRegistrable() {
    return protocol().isRest();
  }
}
