package io.feedbridge.gateway.store;

import io.feedbridge.gateway.work.Via;
import java.time.Instant;

/**
 * One entry of the event log; never changed after its append.
 *
 * @param seq its place in the log; grows, with gaps
 * @param via how the gateway came to know
 */
public record Event(long seq, long feedId, Instant at, Via via, Update update) {}
