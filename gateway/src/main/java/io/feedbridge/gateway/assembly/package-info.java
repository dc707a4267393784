/**
 * The composition root: each part wires the classes of one room, and starts them. Nothing below it
 * knows it.
 */
@NullMarked
package io.feedbridge.gateway.assembly;

import org.jspecify.annotations.NullMarked;
