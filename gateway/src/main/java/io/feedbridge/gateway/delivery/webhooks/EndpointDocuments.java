package io.feedbridge.gateway.delivery.webhooks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.delivery.send.News;
import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.search.query.EntryTerms;
import io.feedbridge.gateway.store.Event;
import io.feedbridge.gateway.store.FeedKind;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.webhook.Filter;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.normalizer.SuperfeedrJson;
import io.feedbridge.websub.DocumentWishes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The documents of one feed's events for endpoints. The last documents are kept: very many
 * endpoints are sent the same. Thread-safe.
 */
public final class EndpointDocuments {

  /** Bytes of the documents that are kept. */
  private static final int MAX_BYTES = 16 << 20;

  /** The beginning of a document with entries, in place of its brace. */
  private static final byte[] ENTRIES = beginning("feed.entries");

  /** The beginning of a document that has removed entries alone. */
  private static final byte[] REMOVED = beginning("feed.entries.removed");

  /** The beginning of a document that has the status of a feed alone. */
  private static final byte[] STATUS = beginning("feed.status");

  private final Store store;
  private final Cache<Key, Optional<byte[]>> kept =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .weigher(
              (Key key, Optional<byte[]> document) ->
                  Key.BYTES + document.map(bytes -> bytes.length).orElse(0))
          // Its upkeep is small, and no other thread is to be waited for at a stop.
          .executor(Runnable::run)
          .build();

  public EndpointDocuments(Store store) {
    this.store = store;
  }

  private static byte[] beginning(String type) {
    return "{\"type\":\"%s\",".formatted(type).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * A document.
   *
   * @param pages of its entries, which the endpoint is to be sent no more by other feeds
   */
  @SuppressWarnings("ArrayRecordComponent") // one body is shared by all endpoints that get it
  record Made(byte[] body, List<String> pages) {}

  /**
   * The key of a document.
   *
   * @param seqs numbers of the events that the document is made of
   */
  private record Key(List<Long> seqs, String filter, DocumentWishes wishes) {
    static final int BYTES = 256;
  }

  /**
   * The JSON of the events, all of one feed and in order; empty where they are no news to the
   * endpoint, or its filter leaves nothing of them. Blocks.
   */
  Optional<Made> of(List<Event> events, WebhookEndpoint endpoint) {
    return endpoint.wishes().dedupe()
        ? withoutRepetitions(events, endpoint)
        : shared(events, endpoint).map(body -> new Made(body, List.of()));
  }

  private Optional<byte[]> shared(List<Event> events, WebhookEndpoint endpoint) {
    String filter = endpoint.webhook().terms().filter();
    DocumentWishes wishes = endpoint.wishes();
    Key key =
        new Key(events.stream().map(Event::seq).toList(), filter == null ? "" : filter, wishes);
    return kept.get(key, missing -> render(events, endpoint.filter(), wishes, entry -> true));
  }

  /** Such documents depend on the ones before, and so are of one endpoint alone. */
  private Optional<Made> withoutRepetitions(List<Event> events, WebhookEndpoint endpoint) {
    Event newest = events.get(events.size() - 1);
    Set<String> pages =
        events.stream()
            .map(Event::update)
            .flatMap(
                update ->
                    Stream.concat(update.feed().entries().stream(), update.changed().stream()))
            .flatMap(entry -> EntryTerms.page(entry).stream())
            .collect(Collectors.toSet());
    Set<String> brought =
        pages.isEmpty()
            ? Set.of()
            : store
                .webhooks()
                .links()
                .ofOthers(endpoint.id(), newest.feedId(), newest.seq(), pages);
    Set<String> sent = new LinkedHashSet<>();
    return render(
            events,
            endpoint.filter(),
            endpoint.wishes(),
            entry -> {
              Optional<String> page = EntryTerms.page(entry);
              page.filter(one -> !brought.contains(one)).ifPresent(sent::add);
              return page.filter(brought::contains).isEmpty();
            })
        .map(body -> new Made(body, List.copyOf(sent)));
  }

  private Optional<byte[]> render(
      List<Event> events,
      Optional<Filter> filter,
      DocumentWishes wishes,
      Predicate<Entry> further) {
    Event newest = events.get(events.size() - 1);
    Fault.RENDER.in(newest.update().status().feed());
    Optional<News> news = News.of(events, News.Wanted.of(wishes, false));
    if (news.isEmpty()) {
      return isChangeOfWhatIsNoFeed(events)
          ? json(newest, newest.update().feed().withEntries(List.of()), wishes)
          : Optional.empty();
    }
    List<Entry> entries = news.get().feed().entries();
    List<Author> authors = newest.update().feed().authors();
    String topic = newest.update().status().feed();
    List<Entry> wanted =
        entries.stream()
            .filter(entry -> filter.isEmpty() || filter.get().accepts(entry, authors, topic))
            .filter(further)
            .toList();
    // A removal does not say which filters its entry passed.
    List<Removal> removals = news.get().feed().removals();
    return wanted.isEmpty() && removals.isEmpty() && !news.get().status()
        ? Optional.empty()
        : json(newest, newest.update().feed().withEntries(wanted).withRemovals(removals), wishes);
  }

  /** The feed's document with its {@code type} before all other members. */
  private static Optional<byte[]> json(Event newest, Feed feed, DocumentWishes wishes) {
    byte[] document = SuperfeedrJson.write(feed, newest.update().status(), wishes.fields(), false);
    byte[] type =
        !feed.entries().isEmpty() ? ENTRIES : feed.removals().isEmpty() ? STATUS : REMOVED;
    byte[] typed = Arrays.copyOf(type, type.length + document.length - 1);
    System.arraycopy(document, 1, typed, type.length, document.length - 1);
    return Optional.of(typed);
  }

  /** A topic that is no feed has no entries: its document says only that the topic has changed. */
  private boolean isChangeOfWhatIsNoFeed(List<Event> events) {
    return events.stream().anyMatch(event -> event.update().bytesChanged())
        && store
            .feeds()
            .byId(events.get(0).feedId())
            .map(FollowedFeed::kind)
            .filter(kind -> kind != FeedKind.FEED)
            .isPresent();
  }
}
