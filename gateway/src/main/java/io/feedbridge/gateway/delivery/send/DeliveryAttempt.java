package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.attempts.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to send a receiver a document.
 *
 * @param feedId of the document; 0 for none
 * @param topic of the document; empty for none
 * @param event the newest event in the document; 0 for none
 * @param number of attempts at this document, from 1
 * @param retries decides when a failed document is tried again; null for messages to endpoints,
 *     which the log's follower repeats
 */
public record DeliveryAttempt(
    Receiver to,
    Attempt.Kind kind,
    long feedId,
    String topic,
    long event,
    int number,
    @Nullable RetryPolicy retries) {}
