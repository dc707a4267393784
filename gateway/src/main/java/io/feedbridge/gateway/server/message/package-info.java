/** Requests and responses as values, and the handler's interface. Handlers see no type of Netty. */
@NullMarked
package io.feedbridge.gateway.server.message;

import org.jspecify.annotations.NullMarked;
