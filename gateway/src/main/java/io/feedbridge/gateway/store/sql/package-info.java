/**
 * The rules of the store as SQL, once for every engine. Engines implement {@link
 * io.feedbridge.gateway.store.sql.database.Database}.
 */
@NullMarked
package io.feedbridge.gateway.store.sql;

import org.jspecify.annotations.NullMarked;
