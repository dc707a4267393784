/**
 * Webhook endpoints as consumers of the log. Batches of events come in from {@link
 * io.feedbridge.gateway.log}; signed requests go out.
 */
@NullMarked
package io.feedbridge.gateway.delivery.webhooks;

import org.jspecify.annotations.NullMarked;
