/** The commands on the store: how they read their options, and how they end. */
@NullMarked
package io.feedbridge.gateway.cli.offline;

import org.jspecify.annotations.NullMarked;
