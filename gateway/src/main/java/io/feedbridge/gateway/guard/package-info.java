/**
 * What strangers may have the gateway do: which topics may be followed and which callbacks called,
 * and how much of it one caller, or one host that never asked for it, has to bear.
 */
@NullMarked
package io.feedbridge.gateway.guard;

import org.jspecify.annotations.NullMarked;
