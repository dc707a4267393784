/**
 * {@code feedbridge bench}: how fast the gateway is on this machine, as ratios to references that
 * are measured in the same run.
 *
 * <p>The gateway, an origin, a sink that records what arrives and each reference are processes of
 * their own from the same jar. They are asked over their standard input, one line at a time, answer
 * with one line of JSON, and end when that input does: none outlives the bench.
 */
@NullMarked
package io.feedbridge.gateway.bench;

import org.jspecify.annotations.NullMarked;
