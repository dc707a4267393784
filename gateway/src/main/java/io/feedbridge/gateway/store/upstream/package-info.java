/** Subscriptions at hubs and clouds, and how far their pings are believed. */
@NullMarked
package io.feedbridge.gateway.store.upstream;

import org.jspecify.annotations.NullMarked;
