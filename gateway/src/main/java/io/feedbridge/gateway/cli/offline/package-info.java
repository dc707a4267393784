/** Commands that open the store themselves, whether a gateway runs on it or not. */
@NullMarked
package io.feedbridge.gateway.cli.offline;

import org.jspecify.annotations.NullMarked;
