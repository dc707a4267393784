/**
 * When things run: timers on an injected clock, and pumps that look for due work and sleep until
 * there is some.
 */
@NullMarked
package io.feedbridge.gateway.schedule;

import org.jspecify.annotations.NullMarked;
