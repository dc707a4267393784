/**
 * The limits on requests of strangers: which topics may be followed and which callbacks called, and
 * how much of it one caller may ask for, or one host that never asked for it must bear.
 */
@NullMarked
package io.feedbridge.gateway.guard;

import org.jspecify.annotations.NullMarked;
