/** The event log: events, their documents, and the cursors of the readers. */
@NullMarked
package io.feedbridge.gateway.store.log;

import org.jspecify.annotations.NullMarked;
