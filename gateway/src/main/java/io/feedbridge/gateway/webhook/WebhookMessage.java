package io.feedbridge.gateway.webhook;

/**
 * A message to an endpoint.
 *
 * @param id the same on each retry, by which a receiver recognises a repetition; no dot in it
 * @param body in UTF-8; not copied, never changed
 */
@SuppressWarnings("ArrayRecordComponent") // one body is shared by all endpoints that get it
public record WebhookMessage(String id, byte[] body) {}
