/** Traces of changes, from the ping to the deliveries. */
@NullMarked
package io.feedbridge.gateway.metrics.trace;

import org.jspecify.annotations.NullMarked;
