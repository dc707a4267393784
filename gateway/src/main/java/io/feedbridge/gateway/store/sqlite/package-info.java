/**
 * The embedded engine under the store's rules: one SQLite file in the data folder, one writer with
 * group commit, checks of the file at the start, backups. It knows no rule.
 */
@NullMarked
package io.feedbridge.gateway.store.sqlite;

import org.jspecify.annotations.NullMarked;
