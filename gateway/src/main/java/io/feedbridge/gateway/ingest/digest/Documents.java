package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.ingest.fetch.FetchResult;
import io.feedbridge.gateway.ingest.fetch.Urls;
import io.feedbridge.gateway.store.feeds.Body;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.PartialDocument;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.normalizer.CutOff;
import io.feedbridge.normalizer.DiffParser;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedDiff;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.Served;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads documents, and compares them with the entries that the store has seen. */
final class Documents {

  private final Store store;
  private final DiffParser parser = new DiffParser();

  Documents(Store store) {
    this.store = store;
  }

  /** The entries that a feed has seen; read as a document is compared with them. */
  SeenEntries seen(FollowedFeed feed, SeenEntries.Source source, Instant now) {
    return new SeenEntries(store, feed, source, now);
  }

  /**
   * The document of a fetch, compared.
   *
   * @throws FeedParseException if it is no feed
   */
  FeedDiff diff(FetchResult.Fresh fetch, SeenEntries seen) throws FeedParseException {
    return parser.parse(fetch.body(), fetch.served(), seen);
  }

  /**
   * The fields of the document of a fetch.
   *
   * @throws FeedParseException if it is no feed
   */
  Feed fields(FetchResult.Fresh fetch) throws FeedParseException {
    return parser.fields(fetch.body(), fetch.served());
  }

  /** A document, compared; empty if it is no feed. */
  Optional<FeedDiff> diff(FollowedFeed feed, Body body, SeenEntries.Source source, Instant now) {
    Served served = Served.at(Urls.base(feed.url(), feed.topic()), body.contentType());
    try {
      return Optional.of(parser.parse(body.bytes(), served, seen(feed, source, now)));
    } catch (FeedParseException unreadable) {
      return Optional.empty();
    }
  }

  /** The end of the newest document of before, if that is kept. */
  Optional<CutOff> keptEnd(Look look, @Nullable PartialDocument partial) {
    if (partial == null) {
      return Optional.empty();
    }
    return store
        .feeds()
        .body(look.feed().id())
        .filter(body -> Hashes.sha256(body.bytes()).equals(partial.bodyHash()))
        .flatMap(body -> diff(look.feed(), body, SeenEntries.Source.FETCH, look.now()))
        .map(FeedDiff::cut);
  }
}
