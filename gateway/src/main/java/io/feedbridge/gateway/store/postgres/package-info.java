/**
 * The PostgreSQL engine under the store's rules: connections, one writer with group commit, the
 * owner's lock, migrations. It knows no rule.
 */
@NullMarked
package io.feedbridge.gateway.store.postgres;

import org.jspecify.annotations.NullMarked;
