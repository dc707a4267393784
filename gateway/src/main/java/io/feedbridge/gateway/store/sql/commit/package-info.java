/**
 * The one writer of a database: waiting writes are committed together, and refused while the
 * storage fails. It knows no engine: an engine gives it a connection.
 */
@org.jspecify.annotations.NullMarked
package io.feedbridge.gateway.store.sql.commit;
