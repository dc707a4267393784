/** That the bench works, and that what counts for it counts right; not what it measures. */
@NullMarked
package io.feedbridge.gateway.bench;

import org.jspecify.annotations.NullMarked;
