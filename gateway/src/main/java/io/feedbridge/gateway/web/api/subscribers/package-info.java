/** The API's part about subscriptions and webhooks: these themselves, and their deliveries. */
@NullMarked
package io.feedbridge.gateway.web.api.subscribers;

import org.jspecify.annotations.NullMarked;
