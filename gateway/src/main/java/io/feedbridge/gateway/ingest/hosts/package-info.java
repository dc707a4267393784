/**
 * Politeness to origins: the order of fetches that wait for one host, how many run at once there,
 * and in all.
 */
@NullMarked
package io.feedbridge.gateway.ingest.hosts;

import org.jspecify.annotations.NullMarked;
