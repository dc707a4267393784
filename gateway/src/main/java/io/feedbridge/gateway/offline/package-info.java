/** Work on a store without a gateway: backup, the move of a store to another engine, new users. */
@NullMarked
package io.feedbridge.gateway.offline;

import org.jspecify.annotations.NullMarked;
