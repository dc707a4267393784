/**
 * Permits for deliveries per callback host: how many run at once at a host and in all, and which
 * hosts answer. It knows neither feeds nor protocols.
 */
@NullMarked
package io.feedbridge.gateway.delivery.hosts;

import org.jspecify.annotations.NullMarked;
