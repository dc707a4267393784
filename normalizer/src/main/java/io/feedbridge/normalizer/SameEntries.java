package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes known entries that a document has under another id or with other elements, so that
 * they are no news: ids that moved with the site, a feed whose ids are all new, and an entry of
 * which a push has fewer elements than the feed.
 */
final class SameEntries {
  /** A document with fewer entries says too little to tell that all ids of a feed are new. */
  private static final int FEW = 3;

  private static final String HTTP = "http://";
  private static final String HTTPS = "https://";
  private static final String WWW = "www.";

  private final EntryMemory memory;
  private final Map<String, SeenEntry> seen;
  private @Nullable Map<String, Entry> newest;

  private SameEntries(EntryMemory memory, Map<String, SeenEntry> seen) {
    this.memory = memory;
    this.seen = seen;
  }

  /**
   * The difference without such entries. The records of the entries stay, under their new ids.
   *
   * @param ids of all entries of the document
   * @param seen the known ones of these
   */
  static EntryDiff.Diff without(
      EntryDiff.Diff diff,
      Collection<String> ids,
      Map<String, SeenEntry> seen,
      EntryMemory memory) {
    if (diff.isEmpty()) {
      return diff;
    }
    SameEntries same = new SameEntries(memory, seen);
    Set<String> moved = same.moved(diff.fresh(), ids);
    boolean allNew = seen.isEmpty() && diff.fresh().size() == ids.size() && ids.size() >= FEW;
    if (allNew) {
      same.addRenamed(diff.fresh(), moved);
    }
    Set<String> unchanged = same.unchanged(diff.changed());
    return new EntryDiff.Diff(
        diff.fresh().stream().filter(entry -> !moved.contains(entry.id())).toList(),
        diff.changed().stream().filter(entry -> !unchanged.contains(entry.id())).toList(),
        same.toRemember(diff.toRemember(), unchanged),
        diff.renamed().stream().filter(entry -> !moved.contains(entry.id())).toList(),
        moved.size(),
        diff.removed());
  }

  /** The stored entries, by their ids. */
  private Map<String, Entry> newest() {
    Map<String, Entry> stored = newest;
    if (stored == null) {
      stored = new LinkedHashMap<>();
      for (Entry entry : memory.newest()) {
        stored.putIfAbsent(entry.id(), entry);
      }
      newest = stored;
    }
    return stored;
  }

  /** The ids that differ from a known one by scheme, by {@code www.} or by a moved host. */
  private Set<String> moved(List<Entry> fresh, Collection<String> ids) {
    Set<String> hosts =
        memory.hosts().stream().map(SameEntries::bare).collect(Collectors.toUnmodifiableSet());
    Map<String, Entry> byFormer = new HashMap<>();
    for (Entry entry : fresh) {
      if (!entry.generatedId() && !seen.containsKey(entry.id())) {
        for (String former : formerIds(entry.id(), hosts)) {
          byFormer.put(former, entry);
        }
      }
    }
    byFormer.keySet().removeAll(Set.copyOf(ids));
    if (byFormer.isEmpty()) {
      return new HashSet<>();
    }
    Set<String> moved = new HashSet<>();
    memory
        .formerly(byFormer.keySet())
        .forEach(
            (former, known) -> {
              Entry entry = byFormer.get(former);
              if (entry != null && isSame(known, entry)) {
                moved.add(entry.id());
              }
            });
    return moved;
  }

  private boolean isSame(SeenEntry known, Entry entry) {
    if (known.isGone()) {
      return false;
    }
    Entry stored = newest().get(known.id());
    if (stored != null) {
      return Objects.equals(stored.title(), entry.title())
          || Objects.equals(date(stored), date(entry));
    }
    return known.updated() == null || known.updated().equals(entry.updated());
  }

  private static Set<String> formerIds(String id, Set<String> hosts) {
    String scheme = id.startsWith(HTTPS) ? HTTPS : HTTP;
    if (!id.startsWith(scheme)) {
      return Set.of();
    }
    int from = scheme.length();
    int end = id.indexOf('/', from);
    String host = id.substring(from, end < 0 ? id.length() : end);
    String rest = end < 0 ? "" : id.substring(end);
    Set<String> all = new LinkedHashSet<>();
    Set<String> named = new LinkedHashSet<>(List.of(host));
    if (hosts.contains(bare(host))) {
      named.addAll(hosts);
    }
    for (String one : named) {
      for (String start : List.of(HTTP, HTTPS)) {
        all.add(start + bare(one) + rest);
        all.add(start + WWW + bare(one) + rest);
      }
    }
    all.remove(id);
    return all;
  }

  private static String bare(String host) {
    return host.startsWith(WWW) ? host.substring(WWW.length()) : host;
  }

  /** Of a feed whose ids are all new, the entries with the title and the date of a known one. */
  private void addRenamed(List<Entry> fresh, Set<String> renamed) {
    Set<List<Object>> known = new HashSet<>();
    newest().values().forEach(entry -> known.add(look(entry)));
    for (Entry entry : fresh) {
      if (known.contains(look(entry))) {
        renamed.add(entry.id());
      }
    }
  }

  /** An entry without a date is known by its content. */
  private static List<Object> look(Entry entry) {
    Instant date = date(entry);
    return List.of(String.valueOf(entry.title()), date == null ? Fingerprint.of(entry) : date);
  }

  private static @Nullable Instant date(Entry entry) {
    return entry.published() == null ? entry.updated() : entry.published();
  }

  /** The ids of the entries that only have fewer or more elements than before a push. */
  private Set<String> unchanged(List<Entry> changed) {
    Set<String> same = new HashSet<>();
    for (Entry entry : changed) {
      SeenEntry known = seen.get(entry.id());
      if (memory.isPushed() || (known != null && known.isPushed())) {
        Entry stored = newest().get(entry.id());
        boolean isSame =
            stored != null && (memory.isPushed() ? isPart(entry, stored) : isPart(stored, entry));
        if (isSame) {
          same.add(entry.id());
        }
      }
    }
    return same;
  }

  private static boolean isPart(Entry less, Entry more) {
    return isPart(less.title(), more.title())
        && isPart(less.content(), more.content())
        && isPart(less.summary(), more.summary())
        && isPart(less.geo(), more.geo())
        && links(more).containsAll(links(less))
        && more.categories().containsAll(less.categories())
        && more.authors().containsAll(less.authors())
        && more.verbs().containsAll(less.verbs())
        && more.objects().containsAll(less.objects());
  }

  private static boolean isPart(@Nullable Object less, @Nullable Object more) {
    return less == null || less.equals(more);
  }

  private static Set<String> links(Entry entry) {
    Set<String> links = new HashSet<>();
    entry.links().forEach(link -> links.add(link.rel() + ' ' + link.href()));
    return links;
  }

  /**
   * A push is marked, for the document that follows. A push that says less than is known changes no
   * record.
   */
  private List<SeenEntry> toRemember(List<SeenEntry> all, Set<String> unchanged) {
    if (!memory.isPushed()) {
      return all;
    }
    List<SeenEntry> kept = new ArrayList<>();
    for (SeenEntry entry : all) {
      if (!unchanged.contains(entry.id())) {
        kept.add(entry.asPushed());
      }
    }
    return kept;
  }
}
