/**
 * The index over the words of entries on SQLite: a file of its own beside the store, which FTS5
 * searches. In: entries and parsed queries. Out: places of entries. It does not touch the store's
 * file, so that neither holds up the other.
 */
@NullMarked
package io.feedbridge.gateway.store.sqlite.search;

import org.jspecify.annotations.NullMarked;
