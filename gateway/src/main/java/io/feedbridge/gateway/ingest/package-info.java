/** From durable work to the event log: fetch, normalize, find what is new, append. */
@NullMarked
package io.feedbridge.gateway.ingest;

import org.jspecify.annotations.NullMarked;
