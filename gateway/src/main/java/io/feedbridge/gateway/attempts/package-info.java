/**
 * The record of attempts: the recent deliveries to each subscription and their outcomes. It is for
 * people to look at; nothing that the gateway does depends on it, and losing it loses no delivery.
 */
@NullMarked
package io.feedbridge.gateway.attempts;

import org.jspecify.annotations.NullMarked;
