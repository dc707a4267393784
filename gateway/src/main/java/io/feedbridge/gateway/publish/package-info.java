/**
 * Feeds that the gateway publishes itself: feeds that users save through it, and one to test
 * aggregators against, which are served over HTTP and, as topics, within the process (rule L17).
 * Bridged feeds are made here, too.
 */
@NullMarked
package io.feedbridge.gateway.publish;

import org.jspecify.annotations.NullMarked;
