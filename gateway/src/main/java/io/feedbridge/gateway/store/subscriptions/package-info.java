/** Subscribers, their wishes, verifications and webhooks. */
@NullMarked
package io.feedbridge.gateway.store.subscriptions;

import org.jspecify.annotations.NullMarked;
