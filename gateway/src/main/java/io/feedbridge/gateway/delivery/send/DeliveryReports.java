package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.metrics.Meters;

/**
 * The places that operators see deliveries in. Safe for use by several threads.
 *
 * @param meters for numbers
 * @param attempts for the last attempts of each subscription
 * @param activity for sentences
 */
public record DeliveryReports(Meters meters, Attempts attempts, ActivityLog activity) {}
