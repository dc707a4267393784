package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a document brings that was not known: a pure function of both. */
public final class EntryDiff {
  private EntryDiff() {}

  /**
   * The difference, each list in document order.
   *
   * @param fresh entries with an id never seen
   * @param changed entries whose id is known and whose content is another
   * @param toRemember of every fresh and changed entry, and of every one whose {@code updated}
   *     alone is newer, what to keep for the next document
   */
  public record Diff(List<Entry> fresh, List<Entry> changed, List<SeenEntry> toRemember) {
    public Diff {
      fresh = List.copyOf(fresh);
      changed = List.copyOf(changed);
      toRemember = List.copyOf(toRemember);
    }

    /** Whether the document brings nothing. */
    public boolean isEmpty() {
      return fresh.isEmpty() && changed.isEmpty();
    }
  }

  /**
   * Compares a document with the entries seen. An id that stands twice in the document counts once,
   * where it stands first; an entry whose {@code updated} is older than the known one (a cache
   * lagging behind) is neither new nor changed.
   *
   * @param seen asked once for each id of the document; null for one never seen
   */
  public static Diff of(Feed feed, Function<String, @Nullable SeenEntry> seen) {
    List<Entry> fresh = new ArrayList<>();
    List<Entry> changed = new ArrayList<>();
    List<SeenEntry> toRemember = new ArrayList<>();
    Set<String> ids = new HashSet<>();
    for (Entry entry : feed.entries()) {
      if (!ids.add(entry.id())) {
        continue;
      }
      SeenEntry known = seen.apply(entry.id());
      String fingerprint = Fingerprint.of(entry);
      if (known == null) {
        fresh.add(entry);
        toRemember.add(new SeenEntry(entry.id(), fingerprint, entry.updated()));
        continue;
      }
      // A version without a date must not open the door to versions older than the last dated one
      Instant newest = newest(entry.updated(), known.updated());
      boolean stale = entry.updated() != null && !entry.updated().equals(newest);
      if (!stale && !known.fingerprint().equals(fingerprint)) {
        changed.add(entry);
        toRemember.add(new SeenEntry(entry.id(), fingerprint, newest));
      } else if (!Objects.equals(newest, known.updated())) {
        toRemember.add(new SeenEntry(entry.id(), fingerprint, newest));
      }
    }
    return new Diff(fresh, changed, toRemember);
  }

  private static @Nullable Instant newest(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isAfter(other) ? one : other;
  }
}
