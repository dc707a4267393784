/**
 * Pings, deliveries and publications from outside, made durable as work before they are
 * acknowledged.
 */
@NullMarked
package io.feedbridge.gateway.intake;

import org.jspecify.annotations.NullMarked;
