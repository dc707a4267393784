package io.feedbridge.rsscloud;

/** Where an aggregator registers for a feed, as the feed says. */
public sealed interface CloudEndpoint permits CloudElement, SourceCloud {

  /** The URL to call, valid and with no user information. */
  String registrationUrl();

  /** The protocol that the cloud is called by, and notifies by. */
  CloudProtocol protocol();

  /** What to call there by xml-rpc or soap; means nothing to the others, may be empty there. */
  String registerProcedure();

  /** Whether a {@link RegistrationRequest} can be sent to it. */
  default boolean isRegistrable() {
    return protocol().rpc().map(rpc -> rpc.canCall(registerProcedure())).orElse(true);
  }
}
