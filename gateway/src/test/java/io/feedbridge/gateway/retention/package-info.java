/** The stage that lets old events go. */
@NullMarked
package io.feedbridge.gateway.retention;

import org.jspecify.annotations.NullMarked;
