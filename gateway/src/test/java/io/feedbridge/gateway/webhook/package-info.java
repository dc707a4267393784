/** Tests of what JSON webhooks are made of. */
@NullMarked
package io.feedbridge.gateway.webhook;

import org.jspecify.annotations.NullMarked;
