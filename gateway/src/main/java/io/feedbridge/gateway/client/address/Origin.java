package io.feedbridge.gateway.client.address;

/**
 * Scheme, host (lower case, without brackets) and port. URLs with the same origin lead to the same
 * server (RFC 6454 §4).
 */
public record Origin(boolean secure, String host, int port) {}
