package io.feedbridge.gateway.delivery.webhooks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.feedbridge.gateway.delivery.send.News;
import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.search.query.EntryTerms;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.webhook.Filter;
import io.feedbridge.gateway.webhook.targets.FeedDocument;
import io.feedbridge.normalizer.Author;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Removal;
import io.feedbridge.websub.DocumentWishes;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The documents of one feed's events for endpoints. The last documents are kept: very many
 * endpoints are sent the same. Thread-safe.
 */
public final class EndpointDocuments {

  /** Bytes of the documents that are kept. */
  private static final int MAX_BYTES = 16 << 20;

  private final Store store;
  private final Cache<Key, List<byte[]>> kept =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .weigher(
              (Key key, List<byte[]> messages) ->
                  Key.BYTES + messages.stream().mapToInt(message -> message.length).sum())
          // Its upkeep is small, and no other thread is to be waited for at a stop.
          .executor(Runnable::run)
          .build();

  public EndpointDocuments(Store store) {
    this.store = store;
  }

  /**
   * A document.
   *
   * @param messages that bring it, in the order in which they are sent; at least one
   * @param pages of its entries, which the endpoint is to be sent no more by other feeds
   */
  record Made(List<byte[]> messages, List<String> pages) {}

  /**
   * The key of a document.
   *
   * @param seqs numbers of the events that the document is made of
   */
  private record Key(
      List<Long> seqs,
      String filter,
      DocumentWishes wishes,
      Webhook.TargetKind kind,
      @Nullable String template) {
    static final int BYTES = 256;
  }

  /**
   * The messages of the events, all of one feed and in order; empty where they are no news to the
   * endpoint, or its filter leaves nothing of them. Blocks.
   */
  Optional<Made> of(List<Event> events, WebhookEndpoint endpoint) {
    return endpoint.wishes().dedupe()
        ? withoutRepetitions(events, endpoint)
        : made(shared(events, endpoint), List.of());
  }

  private static Optional<Made> made(List<byte[]> messages, List<String> pages) {
    return messages.isEmpty() ? Optional.empty() : Optional.of(new Made(messages, pages));
  }

  private List<byte[]> shared(List<Event> events, WebhookEndpoint endpoint) {
    Webhook.Terms terms = endpoint.webhook().terms();
    String filter = terms.filter();
    Key key =
        new Key(
            events.stream().map(Event::seq).toList(),
            filter == null ? "" : filter,
            endpoint.wishes(),
            terms.target().kind(),
            terms.target().template());
    return kept.get(key, missing -> render(events, endpoint, entry -> true));
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
    List<byte[]> messages =
        render(
            events,
            endpoint,
            entry -> {
              Optional<String> page = EntryTerms.page(entry);
              page.filter(one -> !brought.contains(one)).ifPresent(sent::add);
              return page.filter(brought::contains).isEmpty();
            });
    return made(messages, List.copyOf(sent));
  }

  private List<byte[]> render(
      List<Event> events, WebhookEndpoint endpoint, Predicate<Entry> further) {
    Event newest = events.get(events.size() - 1);
    Fault.RENDER.in(newest.update().status().feed());
    News.Wanted wanted =
        News.Wanted.of(endpoint.wishes(), false).ordered(endpoint.target().newestFirst());
    Optional<News> news = News.of(events, wanted);
    if (news.isEmpty()) {
      return isChangeOfWhatIsNoFeed(events)
          ? messages(newest, newest.update().feed().withEntries(List.of()), endpoint)
          : List.of();
    }
    Optional<Filter> filter = endpoint.filter();
    List<Entry> entries = news.get().feed().entries();
    List<Author> authors = newest.update().feed().authors();
    String topic = newest.update().status().feed();
    List<Entry> passed =
        entries.stream()
            .filter(entry -> filter.isEmpty() || filter.get().accepts(entry, authors, topic))
            .filter(further)
            .toList();
    // A removal does not say which filters its entry passed.
    List<Removal> removals = news.get().feed().removals();
    return passed.isEmpty() && removals.isEmpty() && !news.get().status()
        ? List.of()
        : messages(
            newest, newest.update().feed().withEntries(passed).withRemovals(removals), endpoint);
  }

  private static List<byte[]> messages(Event newest, Feed feed, WebhookEndpoint endpoint) {
    FeedDocument document =
        new FeedDocument(
            feed, newest.update().status(), newest.seq(), newest.at(), endpoint.wishes().fields());
    return GatewayTopic.is(newest.topic())
        ? document.ownEvents().stream()
            .flatMap(one -> endpoint.target().messages(one).stream())
            .toList()
        : endpoint.target().messages(document);
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
