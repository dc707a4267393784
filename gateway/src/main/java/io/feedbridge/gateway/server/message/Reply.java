package io.feedbridge.gateway.server.message;

import io.netty.handler.codec.http.HttpVersion;

/**
 * A response in the place where it is sent.
 *
 * @param headOnly whether it answers HEAD (RFC 9110 §9.3.2)
 * @param version that of the request
 * @param close whether the connection ends with it
 */
public record Reply(Response response, boolean headOnly, HttpVersion version, boolean close) {}
