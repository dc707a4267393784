/**
 * Permits and places with a share for each caller and each third party: no caller and no host can
 * take all of them.
 */
@NullMarked
package io.feedbridge.gateway.admission;

import org.jspecify.annotations.NullMarked;
