/** Subscribers on their way in and out: requests, verifications, handler tests, leases. */
@NullMarked
package io.feedbridge.gateway.downstream;

import org.jspecify.annotations.NullMarked;
