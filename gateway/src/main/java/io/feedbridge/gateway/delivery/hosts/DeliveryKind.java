package io.feedbridge.gateway.delivery.hosts;

/** The kind of a delivery. */
enum DeliveryKind {
  ROUND,
  CATCH_UP,
  ENDPOINT
}
