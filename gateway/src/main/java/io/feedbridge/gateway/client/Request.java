package io.feedbridge.gateway.client;

import java.util.List;

/**
 * One request of a call: the first, or what a redirect made of it. The body is shared, never
 * changed.
 */
@SuppressWarnings("ArrayRecordComponent") // see Call
record Request(Call.Method method, Target target, List<Header> headers, byte[] body) {}
