/** The inbound HTTP/1.1 server: a pipeline of single-purpose handlers and a router. */
@NullMarked
package io.feedbridge.gateway.server;

import org.jspecify.annotations.NullMarked;
