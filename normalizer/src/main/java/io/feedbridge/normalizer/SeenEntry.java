package io.feedbridge.normalizer;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The record of an entry that was seen.
 *
 * @param id the entry's own id, unhashed
 * @param fingerprint its {@link Fingerprint} when it was last taken over
 * @param updated the newest {@code updated} it ever had; null where it never had one
 * @param source hash of the part of a document that an entry of this fingerprint, not newer than
 *     {@code updated}, was last read from: where {@link DiffParser} finds the same part again, it
 *     need not be read; null where it is not known
 */
public record SeenEntry(
    String id, String fingerprint, @Nullable Instant updated, @Nullable String source) {

  /** Marks the fingerprint of an entry that the end of its document may have cut. */
  private static final String CUT = "cut:";

  /** This record with the mark of an entry that the end of its document may have cut. */
  SeenEntry cutOff() {
    return new SeenEntry(id, CUT + fingerprint, updated, null);
  }

  /** Whether the entry has this fingerprint. */
  boolean has(String print) {
    return fingerprint.equals(isCutOff() ? CUT + print : print);
  }

  /** Whether its document may have ended before the entry did. */
  boolean isCutOff() {
    return fingerprint.startsWith(CUT);
  }

  /** An entry whose source is not known. */
  public SeenEntry(String id, String fingerprint, @Nullable Instant updated) {
    this(id, fingerprint, updated, null);
  }
}
