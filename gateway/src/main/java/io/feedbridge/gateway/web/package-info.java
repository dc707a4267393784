/**
 * The paths of the protocols with their bounds. Requests come in from the server; calls of the
 * stages go out. One package below holds each kind of caller.
 */
@NullMarked
package io.feedbridge.gateway.web;

import org.jspecify.annotations.NullMarked;
