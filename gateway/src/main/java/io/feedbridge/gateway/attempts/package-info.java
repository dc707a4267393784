/**
 * The record of attempts: what was recently sent to each subscription and what came of it. It is
 * for people to look at; nothing that the gateway does depends on it, and losing it loses no
 * delivery.
 */
@NullMarked
package io.feedbridge.gateway.attempts;

import org.jspecify.annotations.NullMarked;
