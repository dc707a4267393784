package io.feedbridge.rsscloud;

/** The endpoint at which an aggregator registers for a feed, as the feed names it. */
public sealed interface CloudEndpoint permits CloudElement, SourceCloud {

  /** The URL to call, valid and with no user information. */
  String registrationUrl();

  /** The protocol that the cloud is called by, and notifies by. */
  CloudProtocol protocol();

  /**
   * The procedure to call by xml-rpc or soap; other protocols ignore it, and it may be empty there.
   */
  String registerProcedure();

  /** Whether a {@link RegistrationRequest} can be sent to this endpoint. */
  default boolean isRegistrable() {
    return protocol().rpc().map(rpc -> rpc.canCall(registerProcedure())).orElse(true);
  }
}
