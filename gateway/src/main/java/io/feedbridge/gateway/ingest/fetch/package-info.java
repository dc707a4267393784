/**
 * One fetch of one feed: request, conditions, redirects, result. It decides nothing about news or
 * schedules.
 */
@NullMarked
package io.feedbridge.gateway.ingest.fetch;

import org.jspecify.annotations.NullMarked;
