package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Ids for entries whose document gave none, the same at every fetch: of the link, where it is the
 * entry's alone; else of title and date; else of all that the entry says.
 */
final class EntryIds {
  private static final String PREFIX = "urn:feedbridge:entry:";
  private static final Pattern SCHEME = Pattern.compile("^[A-Za-z]+://");
  private static final int SLUG_LENGTH = 60;
  private static final int HASH_LENGTH = 16;

  private EntryIds() {}

  static Feed generated(Feed feed) {
    Map<String, Integer> uses = new HashMap<>();
    Set<String> copies = new HashSet<>();
    for (Entry entry : feed.entries()) {
      String link = entry.permalink();
      // A second copy of an entry is no other use of its link
      if (entry.id().isEmpty() && link != null && copies.add(link + titleAndDate(entry))) {
        uses.merge(link, 1, Integer::sum);
      }
    }
    String home = feed.permalink();
    if (home != null) {
      // A link to the site says nothing about the entry
      uses.put(home, Integer.MAX_VALUE);
    }
    List<Entry> entries = new ArrayList<>(feed.entries().size());
    boolean changed = false;
    for (Entry entry : feed.entries()) {
      changed |= entry.id().isEmpty();
      entries.add(entry.id().isEmpty() ? entry.withGeneratedId(generate(entry, uses)) : entry);
    }
    return changed ? feed.withEntries(entries) : feed;
  }

  static String generate(Entry entry, Map<String, Integer> uses) {
    String link = entry.permalink();
    if (link != null && uses.getOrDefault(link, 0) == 1) {
      return ofLink(link);
    }
    String title = entry.title();
    if (title != null || date(entry) != null) {
      return id(title, link + titleAndDate(entry));
    }
    return id(link, Fingerprint.of(entry));
  }

  private static String titleAndDate(Entry entry) {
    return "\n" + entry.title() + "\n" + date(entry);
  }

  private static @Nullable Instant date(Entry entry) {
    return entry.published() == null ? entry.updated() : entry.published();
  }

  /** The id of an entry whose link is its alone. */
  static String ofLink(String link) {
    return id(SCHEME.matcher(link).replaceFirst(""), link);
  }

  private static String id(@Nullable String readable, String unique) {
    String slug = slug(readable == null ? "" : readable);
    String hash = EntryKey.of(unique).substring(0, HASH_LENGTH);
    return PREFIX + (slug.isEmpty() ? hash : slug + "-" + hash);
  }

  private static String slug(String text) {
    StringBuilder slug = new StringBuilder();
    String lower = text.toLowerCase(Locale.ROOT);
    for (int i = 0; i < lower.length() && slug.length() < SLUG_LENGTH; i++) {
      char c = lower.charAt(i);
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
        slug.append(c);
      } else if (!slug.isEmpty() && slug.charAt(slug.length() - 1) != '-') {
        slug.append('-');
      }
    }
    int end = slug.length();
    return end > 0 && slug.charAt(end - 1) == '-' ? slug.substring(0, end - 1) : slug.toString();
  }
}
