/** A receiver of deliveries for tests of a subscription: it answers, checks and prints. */
@NullMarked
package io.feedbridge.gateway.cli.receive;

import org.jspecify.annotations.NullMarked;
