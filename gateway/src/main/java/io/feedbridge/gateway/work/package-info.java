/**
 * The port to durable work: the items that intake has accepted and ingest has still to process,
 * ordered per feed.
 *
 * <p>The embedded adapter is in {@code sqlite}; both are held to one contract suite.
 */
@NullMarked
package io.feedbridge.gateway.work;

import org.jspecify.annotations.NullMarked;
