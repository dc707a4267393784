package io.feedbridge.websub.discovery;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Collects from one source the links that matter. Not thread-safe. */
final class FoundLinks {
  private static final int MAX_HUBS = 20;
  private static final int MAX_ALTERNATES = 50;
  private static final int MAX_TITLE_LENGTH = 200;
  private static final Set<String> FEED_TYPES =
      Set.of("application/rss+xml", "application/atom+xml", "application/feed+json");

  private final Set<URI> hubs = new LinkedHashSet<>();
  private final Map<URI, FeedAlternate> alternates = new LinkedHashMap<>();
  private Optional<URI> self = Optional.empty();
  private Optional<URI> guard = Optional.empty();

  /** Takes a link that cannot be an alternate. */
  void add(URI base, Collection<String> rels, String href) {
    add(base, rels, href, "", "");
  }

  void add(URI base, Collection<String> rels, String href, String type, String title) {
    if (rels.contains("hub") && hubs.size() < MAX_HUBS) {
      HttpReference.resolve(base, href).ifPresent(hubs::add);
    }
    if (rels.contains("self") && self.isEmpty()) {
      self = HttpReference.resolve(base, href);
    }
    if (rels.contains("validate") && guard.isEmpty()) {
      guard = HttpReference.resolve(base, href);
    }
    String mediaType = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    if (rels.contains("alternate")
        && FEED_TYPES.contains(mediaType)
        && alternates.size() < MAX_ALTERNATES) {
      String shown = title.strip();
      int length = Math.min(shown.codePointCount(0, shown.length()), MAX_TITLE_LENGTH);
      String cut = shown.substring(0, shown.offsetByCodePoints(0, length));
      HttpReference.resolve(base, href)
          .ifPresent(url -> alternates.putIfAbsent(url, new FeedAlternate(url, mediaType, cut)));
    }
  }

  List<URI> hubs() {
    return new ArrayList<>(hubs);
  }

  Optional<URI> self() {
    return self;
  }

  Optional<URI> guard() {
    return guard;
  }

  List<FeedAlternate> alternates() {
    return new ArrayList<>(alternates.values());
  }
}
