package io.feedbridge.gateway.client.address;

/** Why a call is made. It decides which networks may be reached and how redirects treat a POST. */
public enum Purpose {
  /** To a feed, hub or cloud. */
  FETCH,
  /** To a subscriber's callback. */
  CALLBACK
}
