/** What the outside world says about feeds, made durable as work before it is acknowledged. */
@NullMarked
package io.feedbridge.gateway.intake;

import org.jspecify.annotations.NullMarked;
