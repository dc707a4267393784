/**
 * Trackers: feeds of all entries that match a query. In: the event log, read by position, and the
 * topics of trackers. Out: events of the trackers, appended to the same log. An entry is matched
 * against an index over the queries, so that its cost does not grow with their number.
 */
@NullMarked
package io.feedbridge.gateway.track;

import org.jspecify.annotations.NullMarked;
