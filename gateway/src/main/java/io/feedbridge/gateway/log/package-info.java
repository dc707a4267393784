/**
 * The event log read by position: followers of the log with durable cursors. Events come in from
 * the store, in order; batches go out to sinks. It knows no protocol.
 */
@NullMarked
package io.feedbridge.gateway.log;

import org.jspecify.annotations.NullMarked;
