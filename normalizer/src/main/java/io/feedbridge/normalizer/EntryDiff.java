package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The difference between a document and the remembered entries: a pure function of both. */
public final class EntryDiff {
  private EntryDiff() {}

  /**
   * The difference, each list in document order.
   *
   * @param fresh entries with an id never seen, of which only a part was seen, or that were removed
   * @param changed entries whose id is known and whose content is another
   * @param toRemember the records to keep for the next document: of every fresh and changed entry,
   *     and of every one whose {@code updated} alone is newer, that was read from another part of a
   *     document, or that was removed
   * @param renamed the fresh entries whose content is known under another id: many of them mean
   *     that a feed's ids are worth little ({@code bozo_rank})
   * @param moved how many known entries have a new id; they are neither fresh nor changed
   * @param removed known entries that the document says were removed
   */
  public record Diff(
      List<Entry> fresh,
      List<Entry> changed,
      List<SeenEntry> toRemember,
      List<Entry> renamed,
      int moved,
      List<Removal> removed) {
    public Diff {
      fresh = List.copyOf(fresh);
      changed = List.copyOf(changed);
      toRemember = List.copyOf(toRemember);
      renamed = List.copyOf(renamed);
      removed = List.copyOf(removed);
    }

    /** A difference in which no content is known under another id. */
    public Diff(List<Entry> fresh, List<Entry> changed, List<SeenEntry> toRemember) {
      this(fresh, changed, toRemember, List.of(), 0, List.of());
    }

    /**
     * The same difference for a reader that gets none of its entries: more of an entry is no news
     * to it.
     */
    public Diff ofBaseline() {
      List<SeenEntry> whole = toRemember.stream().map(SeenEntry::asWhole).toList();
      return new Diff(fresh, changed, whole, renamed, moved, removed);
    }

    /** Whether the document brings nothing. */
    public boolean isEmpty() {
      return fresh.isEmpty() && changed.isEmpty() && removed.isEmpty();
    }
  }

  /**
   * Compares a document with the entries seen. An id that stands twice in the document counts once,
   * where it stands first; an entry whose {@code updated} is older than the known one, or no later
   * than its removal (a cache lagging behind), is neither new nor changed. Removals are not
   * compared.
   *
   * @param seen asked once for each id of the document; null for one never seen
   */
  public static Diff of(Feed feed, Function<String, @Nullable SeenEntry> seen) {
    return new Comparison(seen, Map.of(), isDamaged(feed)).of(feed.entries());
  }

  /** The same, with the removals, and with the entries whose content is known under another id. */
  public static Diff against(Feed feed, EntryMemory memory) {
    List<String> ids = feed.entries().stream().map(Entry::id).distinct().toList();
    Map<String, SeenEntry> seen = ids.isEmpty() ? Map.of() : memory.seen(ids);
    return Removals.in(against(feed, seen, Map.of(), memory), feed, ids, memory);
  }

  /**
   * The same without the removals, for entries that were read from parts of a document.
   *
   * @param sources the hashes of these parts, by the entries' ids
   */
  static Diff against(
      Feed feed, Map<String, SeenEntry> seen, Map<String, String> sources, EntryMemory memory) {
    return renamed(new Comparison(seen::get, sources, isDamaged(feed)).of(feed.entries()), memory);
  }

  private static boolean isDamaged(Feed feed) {
    return feed.repairs().stream().anyMatch(Repair.OF_STRUCTURE::contains);
  }

  private static Diff renamed(Diff diff, EntryMemory memory) {
    if (diff.fresh.isEmpty()) {
      return diff;
    }
    Map<String, String> prints = new HashMap<>();
    diff.toRemember.forEach(entry -> prints.put(entry.id(), entry.fingerprint()));
    List<String> asked =
        diff.fresh.stream().map(entry -> prints.get(entry.id())).distinct().toList();
    Set<String> known = memory.knownFingerprints(asked);
    List<Entry> renamed =
        diff.fresh.stream().filter(entry -> known.contains(prints.get(entry.id()))).toList();
    return new Diff(diff.fresh, diff.changed, diff.toRemember, renamed, 0, List.of());
  }

  private static final class Comparison {
    private final Function<String, @Nullable SeenEntry> seen;
    private final Map<String, String> sources;
    private final boolean damaged;
    private final List<Entry> fresh = new ArrayList<>();
    private final List<Entry> changed = new ArrayList<>();
    private final List<SeenEntry> toRemember = new ArrayList<>();

    Comparison(
        Function<String, @Nullable SeenEntry> seen, Map<String, String> sources, boolean damaged) {
      this.seen = seen;
      this.sources = sources;
      this.damaged = damaged;
    }

    Diff of(List<Entry> entries) {
      Map<String, Entry> first = new LinkedHashMap<>();
      entries.forEach(entry -> first.putIfAbsent(entry.id(), entry));
      first.values().forEach(this::compare);
      return new Diff(fresh, changed, toRemember);
    }

    private void compare(Entry entry) {
      String id = entry.id();
      SeenEntry known = seen.apply(id);
      String fingerprint = Fingerprint.of(entry);
      boolean same = known != null && known.has(fingerprint);
      if (known != null && known.isGone() && isStale(entry, known.updated())) {
        return;
      }
      // A document without damage has more of an entry that was a part: news to every reader.
      if (known == null || known.isGone() || (known.isPart() && !same && !damaged)) {
        SeenEntry read = new SeenEntry(id, fingerprint, entry.updated(), sources.get(id));
        fresh.add(entry);
        toRemember.add(damaged ? read.asPart() : read);
        return;
      }
      // A version without a date must not open the door to versions older than the last dated one
      Instant newest = newest(entry.updated(), known.updated());
      boolean stale = entry.updated() != null && !entry.updated().equals(newest);
      if (!stale && !same) {
        SeenEntry read = new SeenEntry(id, fingerprint, newest, sources.get(id));
        changed.add(entry);
        toRemember.add(known.isPart() ? read.asPart() : read);
        return;
      }
      // The source of a stale version with another content is not the source of the known one
      String source = same ? sources.getOrDefault(id, known.source()) : known.source();
      // A part that proves to be the whole entry is a usual one from now on.
      String print = same && !damaged ? fingerprint : known.fingerprint();
      if (!print.equals(known.fingerprint())
          || !Objects.equals(newest, known.updated())
          || !Objects.equals(source, known.source())) {
        toRemember.add(new SeenEntry(id, print, newest, source));
      }
    }
  }

  private static boolean isStale(Entry entry, @Nullable Instant removed) {
    return entry.updated() != null && removed != null && !entry.updated().isAfter(removed);
  }

  private static @Nullable Instant newest(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.isAfter(other) ? one : other;
  }
}
