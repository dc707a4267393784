/** Tests of the shares of callers and third parties in places of the gateway. */
@NullMarked
package io.feedbridge.gateway.admission;

import org.jspecify.annotations.NullMarked;
