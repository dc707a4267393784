/** Secrets as they lie in the store: encrypted under a key that is not in it. */
@NullMarked
package io.feedbridge.gateway.vault;

import org.jspecify.annotations.NullMarked;
