package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.Objects;
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

  /** Marks the fingerprint of an entry of which a document may have had only a part. */
  private static final String PART = "cut:";

  /** Marks the source of an entry that was pushed, so that the feed's own entry is read. */
  private static final String PUSHED = "push:";

  /** Marks the fingerprint of an entry that its feed has removed. */
  private static final String GONE = "gone:";

  /** This record with the mark of an entry of which its document may have had only a part. */
  public SeenEntry asPart() {
    return isPart() ? this : new SeenEntry(id, PART + fingerprint, updated, null);
  }

  /** This record of an entry that was pushed: the feed may have more elements of it. */
  SeenEntry asPushed() {
    return isPushed()
        ? this
        : new SeenEntry(id, fingerprint, updated, PUSHED + Objects.requireNonNullElse(source, ""));
  }

  /** Whether the entry was read from a push, and from no document of the feed since. */
  boolean isPushed() {
    return source != null && source.startsWith(PUSHED);
  }

  /**
   * This record of an entry that its feed has removed.
   *
   * @param when a version of the entry that is no newer does not bring it back
   */
  public SeenEntry asGone(Instant when) {
    return new SeenEntry(id, GONE + asWhole().fingerprint, when, null);
  }

  /** Whether the feed has removed the entry. */
  public boolean isGone() {
    return fingerprint.startsWith(GONE);
  }

  /** This record without the mark of a part. */
  public SeenEntry asWhole() {
    return isPart()
        ? new SeenEntry(id, fingerprint.substring(PART.length()), updated, source)
        : this;
  }

  /** Whether the entry has this fingerprint, with or without the mark. */
  public boolean has(String print) {
    return asWhole().fingerprint.equals(print);
  }

  /** Whether its document may have had only a part of the entry. */
  public boolean isPart() {
    return fingerprint.startsWith(PART);
  }

  /** An entry whose source is not known. */
  public SeenEntry(String id, String fingerprint, @Nullable Instant updated) {
    this(id, fingerprint, updated, null);
  }
}
