package io.feedbridge.gateway.publish;

import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.Feeds;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.Newest;
import io.feedbridge.normalizer.CutOff;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.JsonFeedWriter;
import io.feedbridge.normalizer.PushOffer;
import io.feedbridge.normalizer.RssWriter;
import io.feedbridge.normalizer.SeenEntry;
import io.feedbridge.normalizer.SuperfeedrAtom;
import io.feedbridge.websub.discovery.HttpReference;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes bridged feeds from the stored entries of feeds. Thread-safe; blocks on the store. */
final class BridgedDocuments {

  /** Entries of a feed that has fewer in its own document, once so many are known. */
  static final int AT_LEAST = 20;

  /**
   * Bytes of a feed's own document up to which it is read for the entries behind the newest ones:
   * reading takes up to eight times as much memory.
   */
  static final int MAX_OWN = 4 << 20;

  /** Bytes of a document. Escaping makes a text up to six times as long as the feed has it. */
  static final int MAX_BYTES = 32 << 20;

  private final Feeds feeds;
  private final BridgedUrls urls;
  private final FeedParser parser = new FeedParser();

  BridgedDocuments(Feeds feeds, BridgedUrls urls) {
    this.feeds = feeds;
    this.urls = urls;
  }

  /** The feed as it is now. */
  BridgedDocument of(FollowedFeed feed, Kind kind, Instant now) {
    boolean isWhole = feeds.bodyLength(feed.id()) > 0;
    // Before the entries: a change in between has a later time than the document then.
    Optional<Instant> changed = feeds.changedAt(feed.id());
    Newest newest =
        feeds
            .newest(feed.id(), Newest.KEPT)
            .orElseThrow(() -> new IllegalStateException("a feed with a baseline was read as one"));
    Instant first = feed.firstFetchAt() == null ? now : feed.firstFetchAt();
    Instant modified =
        changed.orElseGet(
            () ->
                newest.entries().stream()
                    .map(Newest.Arrival::at)
                    .filter(at -> at.isAfter(first))
                    .max(Instant::compareTo)
                    .orElse(first));
    String self = urls.of(feed.topic(), kind);
    byte[] bytes =
        bounded(
            entries(feed, newest),
            MAX_BYTES,
            (entries, out) -> write(newest.feed().withEntries(entries), kind, self, first, out));
    return new BridgedDocument(
        bytes,
        kind.contentType(),
        EntityTag.of(bytes),
        self,
        urls.hub(),
        modified,
        feed.head(),
        feed.validators().bodyHash(),
        isWhole);
  }

  /** Writes the document with these entries, the same bytes each time. */
  @FunctionalInterface
  interface Writer<T> {
    void write(List<T> entries, OutputStream out) throws IOException;
  }

  /** The longest document within a bound: as long as one is longer it has half of the entries. */
  static <T> byte[] bounded(List<T> entries, int most, Writer<T> writer) {
    List<T> some = entries;
    Optional<byte[]> bytes = written(some, most, writer);
    while (bytes.isEmpty()) {
      some = some.subList(0, some.size() / 2);
      bytes = written(some, some.isEmpty() ? Integer.MAX_VALUE : most, writer);
    }
    return bytes.get();
  }

  /** Empty past the bound. */
  private static <T> Optional<byte[]> written(List<T> entries, int most, Writer<T> writer) {
    return ExactBytes.of(most, out -> writer.write(entries, out));
  }

  /**
   * As many entries as the feed itself has, the newest first; of a long feed the kept entries
   * alone.
   */
  private List<Entry> entries(FollowedFeed feed, Newest newest) {
    Map<String, Entry> known = new LinkedHashMap<>();
    for (Newest.Arrival arrival : newest.entries()) {
      known.put(arrival.entry().id(), arrival.entry().datedIfNot(arrival.at()));
    }
    if (feeds.bodyLength(feed.id()) > MAX_OWN) {
      return List.copyOf(known.values());
    }
    List<Entry> own = own(feed);
    // Ids that moved with the site would make each entry stand twice.
    Set<String> looks = own.stream().map(BridgedDocuments::look).collect(Collectors.toSet());
    Set<String> ids = own.stream().map(Entry::id).collect(Collectors.toSet());
    known.values().removeIf(entry -> !ids.contains(entry.id()) && looks.contains(look(entry)));
    own.forEach(entry -> known.putIfAbsent(entry.id(), entry));
    return known.values().stream().limit(Math.max(AT_LEAST, own.size())).toList();
  }

  private static String look(Entry entry) {
    return (entry.published() == null ? entry.updated() : entry.published()) + "\n" + entry.title();
  }

  /** The feed's newest document: the only source of entries behind the newest few. */
  private List<Entry> own(FollowedFeed feed) {
    Optional<Feed> document =
        feeds
            .body(feed.id())
            .flatMap(body -> HttpReference.absolute(feed.url()).flatMap(base -> read(body, base)));
    // An entry that waits for its rest is not known yet.
    List<Entry> own = document.map(CutOff::whole).map(Feed::entries).orElse(List.of());
    Map<String, SeenEntry> seen = feeds.seen(feed.id(), own.stream().map(Entry::id).toList());
    // A push may have removed an entry of this document.
    return own.stream()
        .filter(
            entry ->
                !Optional.ofNullable(seen.get(entry.id())).filter(SeenEntry::isGone).isPresent())
        .toList();
  }

  private Optional<Feed> read(Body body, URI base) {
    try {
      return Optional.of(parser.parse(body.bytes(), body.contentType(), base));
    } catch (FeedParseException noFeedAnyMore) {
      return Optional.empty();
    }
  }

  private void write(Feed feed, Kind kind, String self, Instant first, OutputStream out)
      throws IOException {
    PushOffer offer = urls.offer(self);
    switch (kind) {
      case ATOM -> SuperfeedrAtom.write(feed, offer, first, out);
      case RSS -> RssWriter.write(feed, offer, out);
      case JSON -> JsonFeedWriter.write(feed, offer, out);
    }
  }
}
