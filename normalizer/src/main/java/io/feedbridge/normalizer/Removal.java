package io.feedbridge.normalizer;

import java.time.Instant;

/**
 * A feed's statement that one of its entries was removed (RFC 6721).
 *
 * @param id the entry's own
 * @param when it was removed: a version of the entry that is no newer does not bring it back
 */
public record Removal(String id, Instant when) {}
