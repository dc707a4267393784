/**
 * The public topic in Kafka, which follows the event log. Events come in from the store, in order;
 * records go out in transactions. It knows no subscriber.
 */
@NullMarked
package io.feedbridge.gateway.kafka;

import org.jspecify.annotations.NullMarked;
