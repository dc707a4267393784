/** Tests of the inbound HTTP server: each rule on an embedded channel, the whole over sockets. */
@NullMarked
package io.feedbridge.gateway.server;

import org.jspecify.annotations.NullMarked;
