/** The vault and its key. */
@NullMarked
package io.feedbridge.gateway.vault;

import org.jspecify.annotations.NullMarked;
