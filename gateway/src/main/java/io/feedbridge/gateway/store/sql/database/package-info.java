/**
 * The database under the store's rules: transactions, effects of commits, rows, sealed columns,
 * damaged rows. It knows no rule and no engine.
 */
@NullMarked
package io.feedbridge.gateway.store.sql.database;

import org.jspecify.annotations.NullMarked;
