/**
 * Addresses and names of requests that go out: URLs, resolution, and the policy that says which
 * addresses may be dialled.
 */
@NullMarked
package io.feedbridge.gateway.client.address;

import org.jspecify.annotations.NullMarked;
