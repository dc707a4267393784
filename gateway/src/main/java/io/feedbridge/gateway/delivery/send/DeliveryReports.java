package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.metrics.trace.Traces;

/**
 * The places that operators see deliveries in. Safe for use by several threads.
 *
 * @param meters for numbers
 * @param attempts for the last attempts of each subscription
 * @param activity for sentences
 * @param traces for the way of one event
 */
public record DeliveryReports(
    Meters meters, Attempts attempts, ActivityLog activity, Traces traces) {}
