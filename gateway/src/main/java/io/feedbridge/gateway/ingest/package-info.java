/** From durable work to the event log: fetch, normalize, find the new entries, append. */
@NullMarked
package io.feedbridge.gateway.ingest;

import org.jspecify.annotations.NullMarked;
