/**
 * Subscribers on their way in and out: requests, verifications, handler tests, leases, denials. It
 * never delivers events.
 */
@NullMarked
package io.feedbridge.gateway.subscribers;

import org.jspecify.annotations.NullMarked;
