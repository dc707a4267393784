package io.feedbridge.normalizer;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of an entry once it was seen.
 *
 * @param id the entry's own id, unhashed
 * @param fingerprint its {@link Fingerprint} when it was last taken over
 * @param updated the newest {@code updated} it ever had; null where it never had one
 */
public record SeenEntry(String id, String fingerprint, @Nullable Instant updated) {}
