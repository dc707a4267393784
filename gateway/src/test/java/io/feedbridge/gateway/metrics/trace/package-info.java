/** Traces: which spans an event has, and how a collector gets them. */
@NullMarked
package io.feedbridge.gateway.metrics.trace;

import org.jspecify.annotations.NullMarked;
