package io.feedbridge.normalizer;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Remembers what it is told to. */
final class Memory implements EntryMemory {
  final Map<String, SeenEntry> entries = new HashMap<>();
  List<Entry> newest = List.of();
  Set<String> hosts = Set.of();
  boolean pushed;
  int asked;

  void take(EntryDiff.Diff diff) {
    diff.toRemember().forEach(entry -> entries.put(entry.id(), entry));
  }

  @Override
  public Map<String, SeenEntry> seen(Collection<String> ids) {
    asked++;
    Map<String, SeenEntry> seen = new HashMap<>(entries);
    seen.keySet().retainAll(Set.copyOf(ids));
    return seen;
  }

  @Override
  public Set<String> knownFingerprints(Collection<String> fingerprints) {
    Set<String> known =
        entries.values().stream().map(SeenEntry::fingerprint).collect(Collectors.toSet());
    known.retainAll(new HashSet<>(fingerprints));
    return known;
  }

  /** Stores the new entries as they are. */
  void keepNewest(FeedDiff found) {
    newest = found.diff().fresh();
  }

  @Override
  public Map<String, SeenEntry> formerly(Collection<String> ids) {
    Map<String, SeenEntry> seen = new HashMap<>(entries);
    seen.keySet().retainAll(Set.copyOf(ids));
    return seen;
  }

  @Override
  public List<Entry> newest() {
    return newest;
  }

  @Override
  public Set<String> hosts() {
    return hosts;
  }

  @Override
  public boolean isPushed() {
    return pushed;
  }

  /** What it knows but for how it came to know it. */
  Map<String, SeenEntry> withoutSources() {
    return entries.values().stream()
        .map(entry -> new SeenEntry(entry.id(), entry.fingerprint(), entry.updated()))
        .collect(Collectors.toMap(SeenEntry::id, entry -> entry));
  }
}
