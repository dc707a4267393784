/**
 * Bounds of the server, and the counts that they are held to: connections, bytes of requests and
 * responses, TLS.
 */
@NullMarked
package io.feedbridge.gateway.server.limits;

import org.jspecify.annotations.NullMarked;
