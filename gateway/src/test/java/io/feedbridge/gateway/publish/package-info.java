/** Tests of the feeds that the gateway publishes itself. */
@NullMarked
package io.feedbridge.gateway.publish;

import org.jspecify.annotations.NullMarked;
