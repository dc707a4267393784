/**
 * Stand-ins for the outside world, on real sockets: an origin, a hub, a cloud, subscribers; and the
 * gateway itself, in this process or in one of its own.
 */
@NullMarked
package io.feedbridge.gateway.testing;

import org.jspecify.annotations.NullMarked;
