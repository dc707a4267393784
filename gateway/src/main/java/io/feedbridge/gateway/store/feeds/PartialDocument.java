package io.feedbridge.gateway.store.feeds;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The newest document of a feed, where that breaks off before its end. Its last entry may be a part
 * of one: the entry waits until a whole document has it, until another document ends there too, or
 * until the same document was there for an hour.
 *
 * @param bodyHash of the document
 * @param entryId of the entry that waits; null if none does
 * @param fingerprint of the entry that waits
 * @param since the first fetch that had a part of the entry
 */
public record PartialDocument(
    String bodyHash, @Nullable String entryId, @Nullable String fingerprint, Instant since) {

  /** How long an entry waits that the same bytes break off in. */
  public static final Duration WAIT = Duration.ofHours(1);

  /** When the entry that waits is taken for whole; absent if none waits. */
  public @Nullable Instant wholeAt() {
    return entryId == null ? null : since.plus(WAIT);
  }

  /** Whether the entry that waits has waited long enough to be taken for whole. */
  public boolean isOver(Instant now) {
    Instant at = wholeAt();
    return at != null && !now.isBefore(at);
  }
}
