package io.feedbridge.gateway.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.SeenEntry;
import java.util.HexFormat;

/** News of an entry of another feed, for trackers. */
public sealed interface TrackedItem {

  /** The identity of the entry in its own feed. */
  EntryKey key();

  /**
   * An entry that its own feed has removed.
   *
   * @param removal with the feed as its source
   */
  record Removed(EntryKey key, Removal removal) implements TrackedItem {}

  /**
   * An entry of another feed. All trackers that get the entry get the same object, which equals no
   * other. Immutable.
   */
  final class Found implements TrackedItem {
    private static final int FINGERPRINT_LENGTH = 32;

    private final EntryKey key;
    private final byte[] payload;
    private final byte[] hash;
    private final SeenEntry seen;

    /**
     * An entry of another feed.
     *
     * @param key in that feed
     * @param entry with its source
     * @param part whether it may be a part of an entry
     */
    public Found(EntryKey key, Entry entry, boolean part) {
      this.key = key;
      payload = Json.bytes(entry);
      hash = EntryKey.sha256(seenId() + '\n' + new String(payload, UTF_8));
      byte[] content = EntryKey.sha256(Json.text(entry.withSource(null)));
      String print = HexFormat.of().formatHex(content).substring(0, FINGERPRINT_LENGTH);
      SeenEntry read = new SeenEntry(seenId(), print, null);
      seen = part ? read.asPart() : read;
    }

    @Override
    public EntryKey key() {
      return key;
    }

    /** The id under which each tracker knows the entry. */
    public String seenId() {
      return key.in(0).id();
    }

    /** The entry as it is stored; not to be changed. */
    public byte[] payload() {
      return payload;
    }

    /** The SHA-256 of the entry as it is stored; not to be changed. */
    public byte[] hash() {
      return hash;
    }

    /** The record of the entry's content, without its source's fields. */
    public SeenEntry seen() {
      return seen;
    }
  }
}
