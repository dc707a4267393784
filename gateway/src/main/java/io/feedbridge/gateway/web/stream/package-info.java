/**
 * The live stream: events that are appended to the log, written to each reader from the present or
 * from the last event that the reader saw. Readers keep their position themselves, so nothing of
 * them is durable.
 */
@NullMarked
package io.feedbridge.gateway.web.stream;

import org.jspecify.annotations.NullMarked;
