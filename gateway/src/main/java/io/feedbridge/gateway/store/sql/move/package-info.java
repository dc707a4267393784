/**
 * Moves a store from one engine to another: the rows of each table are read, written, read back and
 * compared. Tables come in from the target, rows from the source. It knows no engine and no rule.
 */
@NullMarked
package io.feedbridge.gateway.store.sql.move;

import org.jspecify.annotations.NullMarked;
