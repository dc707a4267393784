/**
 * The live stream: what is appended to the log, written to whoever listens, from the present or
 * from the last event that a reader saw. Readers keep their position themselves, so nothing of them
 * is durable.
 */
@NullMarked
package io.feedbridge.gateway.stream;

import org.jspecify.annotations.NullMarked;
