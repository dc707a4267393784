/** Tests of the record of attempts. */
@NullMarked
package io.feedbridge.gateway.attempts;

import org.jspecify.annotations.NullMarked;
