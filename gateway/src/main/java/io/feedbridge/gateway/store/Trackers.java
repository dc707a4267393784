package io.feedbridge.gateway.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.SeenEntry;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Feeds whose events are made of the entries of other feeds. */
public interface Trackers {

  /**
   * A feed that may be a tracker, as of its last change.
   *
   * @param change grows with each change of any of them
   * @param start the events behind this one are the tracker's; absent while it is not followed
   */
  record Tracker(long change, long feedId, String topic, @Nullable Long start) {}

  /** News of an entry of another feed. */
  sealed interface Item {

    /** The identity of the entry in its own feed. */
    EntryKey key();
  }

  /**
   * An entry that its own feed has removed.
   *
   * @param removal with the feed as its source
   */
  record Removed(EntryKey key, Removal removal) implements Item {}

  /**
   * An entry of another feed. All trackers that get the entry get the same object, which equals no
   * other. Immutable.
   */
  final class Found implements Item {
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

  /**
   * Entries for a tracker.
   *
   * @param fresh entries that are new in their own feed, in the order of their arrival
   * @param changed entries that have changed there, likewise
   * @param removed entries that were removed there; none of them is among the others
   */
  record Catch(long feedId, List<Found> fresh, List<Found> changed, List<Removed> removed) {
    public Catch {
      fresh = List.copyOf(fresh);
      changed = List.copyOf(changed);
      removed = List.copyOf(removed);
    }
  }

  /**
   * The followed trackers that have an entry of another feed, in their newest entries or in the
   * log; none once it was removed from them.
   */
  List<Long> having(EntryKey entry);

  /** The changes behind one, in order. */
  List<Tracker> changes(long after, int limit);

  /** All trackers have the events up to here. */
  long position();

  /**
   * Appends events to trackers, and moves the position, in one transaction. An entry that the
   * tracker has had is left out, by its {@link EntryKey}; a changed entry, and one of which the
   * tracker has had a part, by its content; a removed entry that the tracker does not have, too. So
   * a call may be repeated. An entry that was removed and comes again is new.
   *
   * @param position that {@link #position} is from now on
   * @return the events appended
   */
  CompletableFuture<Integer> append(List<Catch> caught, long position, Instant now);
}
