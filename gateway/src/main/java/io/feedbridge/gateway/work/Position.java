package io.feedbridge.gateway.work;

/**
 * The end of an assignment in the work of its feed. The store writes it in the transaction that
 * records the assignment's outcome (rule L1), so that work is done exactly when its outcome is
 * durable.
 *
 * @param feedId the feed whose work it is
 * @param upTo every item of the feed up to and including this one is done
 */
public record Position(long feedId, long upTo) {}
