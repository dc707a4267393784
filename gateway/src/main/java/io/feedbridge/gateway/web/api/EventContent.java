package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.delivery.send.News;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.EntryTerms;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.subscriptions.Terms;
import io.feedbridge.gateway.webhook.Filter;
import io.feedbridge.websub.DocumentWishes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether an event holds anything for a subscriber, by the terms as they are now.
 *
 * @param kind of the event's feed, as it is now
 */
record EventContent(Event event, FeedKind kind) {

  /** Whether a subscription with these terms is sent a document of the event. */
  boolean isFor(Terms terms) {
    return switch (terms.format()) {
      case LIGHT -> !event.update().isStatusAlone();
      case RAW -> event.update().bytesChanged();
      case AUTO, ATOM, JSON, RSS, JSONFEED ->
          kind == FeedKind.FEED
              ? news(terms.wished(), terms.updates())
                  .filter(news -> news.isFor(terms.format()))
                  .isPresent()
              : event.update().bytesChanged();
    };
  }

  /** Whether a webhook without a filter is sent a message of the event. */
  boolean isForWebhook(DocumentWishes wishes) {
    return news(wishes, false).isPresent()
        || (kind != FeedKind.FEED && event.update().bytesChanged());
  }

  /**
   * Whether the filter of a webhook keeps the event back. The change of a feed's status and a
   * removal pass each filter, and so does the change of a topic that is no feed.
   *
   * @param filter an expression; null for none
   */
  boolean isFiltered(@Nullable String filter, DocumentWishes wishes) {
    Optional<News> news = news(wishes, false);
    if (filter == null
        || news.isEmpty()
        || news.get().status()
        || !news.get().feed().removals().isEmpty()) {
      return false;
    }
    try {
      Filter parsed = Filter.parse(filter);
      return news.get().feed().entries().stream()
          .noneMatch(
              entry ->
                  parsed.accepts(
                      entry, event.update().feed().authors(), event.update().status().feed()));
    } catch (BadQueryException unread) {
      // Such a webhook is sent all entries.
      return false;
    }
  }

  /**
   * The pages of the entries that a webhook is sent; empty where the event has something else for
   * it too.
   */
  Set<String> pages(DocumentWishes wishes) {
    Optional<News> news = news(wishes, false);
    List<Optional<String>> pages =
        news.filter(one -> !one.status() && one.feed().removals().isEmpty())
            .map(one -> one.feed().entries().stream().map(EntryTerms::page).toList())
            .orElse(List.of());
    return pages.stream().allMatch(Optional::isPresent)
        ? pages.stream().flatMap(Optional::stream).collect(Collectors.toSet())
        : Set.of();
  }

  private Optional<News> news(DocumentWishes wishes, boolean updates) {
    return News.of(List.of(event), News.Wanted.of(wishes, updates));
  }
}
