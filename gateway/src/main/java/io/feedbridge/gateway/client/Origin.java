package io.feedbridge.gateway.client;

/**
 * Scheme, host (lower case, without brackets) and port: what makes two URLs lead to the same server
 * (RFC 6454 §4).
 */
record Origin(boolean secure, String host, int port) {}
