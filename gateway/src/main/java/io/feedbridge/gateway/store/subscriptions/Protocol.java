package io.feedbridge.gateway.store.subscriptions;

/** The protocol in which a subscriber is served. */
public enum Protocol {
  /** WebSub and its PubSubHubbub ancestors. */
  WEBSUB,
  /** rssCloud notifications as an HTTP form. */
  RSSCLOUD,
  /** Standard Webhooks, outside the rounds (rule L8): no subscription has this protocol. */
  WEBHOOK
}
