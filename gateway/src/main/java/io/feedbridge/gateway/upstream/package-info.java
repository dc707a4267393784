/**
 * How feeds are followed: choosing among hubs, clouds and polling, subscribing, renewing, and the
 * poll timer. It is a writer of work like intake.
 */
@NullMarked
package io.feedbridge.gateway.upstream;

import org.jspecify.annotations.NullMarked;
