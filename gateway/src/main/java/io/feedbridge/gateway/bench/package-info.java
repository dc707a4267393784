/**
 * {@code feedbridge bench}: the speed of the gateway on this machine, as ratios to references that
 * are measured in the same run.
 *
 * <p>The gateway, an origin, a sink that records its deliveries and each reference are processes of
 * their own from the same jar. Each process reads commands from its standard input, one line at a
 * time, answers each with one line of JSON, and ends when that input ends: no process outlives the
 * bench.
 */
@NullMarked
package io.feedbridge.gateway.bench;

import org.jspecify.annotations.NullMarked;
