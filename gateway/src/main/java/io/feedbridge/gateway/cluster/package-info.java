/** Requests that a node without the store passes to the node that owns it. */
@NullMarked
package io.feedbridge.gateway.cluster;

import org.jspecify.annotations.NullMarked;
