package io.feedbridge.websub;

/** The names of the parameters in forms and queries. */
final class HubParameter {
  static final String CALLBACK = "hub.callback";
  static final String CHALLENGE = "hub.challenge";
  static final String CONTENT = "hub.content";
  static final String LEASE_SECONDS = "hub.lease_seconds";
  static final String MODE = "hub.mode";
  static final String REASON = "hub.reason";
  static final String SECRET = "hub.secret";
  static final String SIGNATURE = "hub.signature";
  static final String TOPIC = "hub.topic";
  static final String URL = "hub.url";
  static final String VERIFY = "hub.verify";
  static final String VERIFY_TOKEN = "hub.verify_token";

  // Not in any specification: Superfeedr's, and our own.
  static final String FORMAT = "format";
  static final String DIGEST = "superfeedr.digest";
  static final String EVERY = "every";
  static final String ONLY = "only";
  static final String FIELDS = "fields";
  static final String UPDATES = "updates";
  static final String SIGNATURE_METHOD = "hub.signature_method";

  private HubParameter() {}
}
