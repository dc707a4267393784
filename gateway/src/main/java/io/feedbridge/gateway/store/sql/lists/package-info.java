/** The rows of lists of feeds. */
@NullMarked
package io.feedbridge.gateway.store.sql.lists;

import org.jspecify.annotations.NullMarked;
