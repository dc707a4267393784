/**
 * The embedded adapters of both ports: one SQLite file in the data folder, one writer with group
 * commit.
 */
@NullMarked
package io.feedbridge.gateway.sqlite;

import org.jspecify.annotations.NullMarked;
