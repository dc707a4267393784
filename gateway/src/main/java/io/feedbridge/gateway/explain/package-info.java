/** Tells how a feed would be followed, and why. */
@NullMarked
package io.feedbridge.gateway.explain;

import org.jspecify.annotations.NullMarked;
