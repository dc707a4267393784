/**
 * Feeds that the gateway publishes itself: those that users save through it, and one to test
 * aggregators against. They are served over HTTP and, as topics, within the process (rule L17).
 */
@NullMarked
package io.feedbridge.gateway.publish;

import org.jspecify.annotations.NullMarked;
