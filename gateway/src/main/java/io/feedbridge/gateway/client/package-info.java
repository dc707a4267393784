/**
 * The one outbound HTTP client: deliveries and fetches, with one address guard in front of every
 * connection.
 */
@NullMarked
package io.feedbridge.gateway.client;

import org.jspecify.annotations.NullMarked;
