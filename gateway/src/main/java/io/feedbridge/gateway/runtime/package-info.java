/**
 * The process: its threads, clock, key, descriptors, version, and the order in which parts stop.
 */
@NullMarked
package io.feedbridge.gateway.runtime;

import org.jspecify.annotations.NullMarked;
