/** What strangers may send to a gateway, by its front door, and what they must not get it to do. */
@NullMarked
package io.feedbridge.gateway.edge;

import org.jspecify.annotations.NullMarked;
