/** The parts of JSON webhooks, after Standard Webhooks: secrets, signed messages, filters. */
@NullMarked
package io.feedbridge.gateway.webhook;

import org.jspecify.annotations.NullMarked;
