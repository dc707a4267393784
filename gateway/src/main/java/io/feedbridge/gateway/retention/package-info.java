/** Retention: old events leave the log. */
@NullMarked
package io.feedbridge.gateway.retention;

import org.jspecify.annotations.NullMarked;
