/** Libraries of others call the gateway and are called by it. */
@NullMarked
package io.feedbridge.gateway.interop;

import org.jspecify.annotations.NullMarked;
