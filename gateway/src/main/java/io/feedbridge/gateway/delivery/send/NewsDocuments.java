package io.feedbridge.gateway.delivery.send;

import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.delivery.send.Bundle.Rendered;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.TopicFormat;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedFamily;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.JsonFeedWriter;
import io.feedbridge.normalizer.PushOffer;
import io.feedbridge.normalizer.RssWriter;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrAtom;
import io.feedbridge.normalizer.SuperfeedrJson;
import io.feedbridge.normalizer.TopicDocument;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes news as documents. A document names as its {@code self} the topic that its subscribers
 * named: the feed's own topic, with the hubs of the feed's own document, or the bridged feed, with
 * the hub of the gateway and no other. Thread-safe.
 */
public final class NewsDocuments {

  private static final String ATOM = "application/atom+xml; charset=utf-8";
  private static final String JSON = "application/json; charset=utf-8";
  private static final String RSS = "application/rss+xml; charset=utf-8";
  private static final String RDF = "application/rdf+xml; charset=utf-8";
  private static final String JSON_FEED = "application/feed+json; charset=utf-8";

  /** An origin's media type that is longer counts as none, in characters. */
  private static final int MAX_MEDIA_TYPE = 256;

  private static final Pattern MEDIA_TYPE =
      Pattern.compile("[\\w!#$&^.+-]+/[\\w!#$&^.+-]+\\s*(;[\\x20-\\x7e]*)?");
  private static final Pattern CHARSET =
      Pattern.compile("(?i)(;\\s*charset\\s*=\\s*)(\"[^\"]*\"|[^;\\s\"]*)");

  private final BridgedUrls bridges;

  public NewsDocuments(BridgedUrls bridges) {
    this.bridges = bridges;
  }

  /**
   * The news in a format that has entries; empty where there are removals alone and the format, an
   * RSS, cannot tell of them.
   *
   * @param fields the members of an entry that JSON has; empty for all
   * @param bridge the kind of the bridged feed that the subscribers named; null for the feed itself
   * @param digest whether the document is marked as a digest, for which the schema has a mark
   */
  Optional<Rendered> of(
      News news,
      Format format,
      List<String> fields,
      BridgedUrl.@Nullable Kind bridge,
      boolean digest) {
    return news.isFor(format)
        ? Optional.of(rendered(news, format, fields, bridge, digest))
        : Optional.empty();
  }

  private Rendered rendered(
      News news,
      Format format,
      List<String> fields,
      BridgedUrl.@Nullable Kind bridge,
      boolean digest) {
    Event newest = news.newest();
    Status status = newest.update().status();
    PushOffer offer = offer(news.feed(), status.feed(), bridge);
    Feed feed = offer.on(news.feed());
    return switch (format) {
      case AUTO -> auto(news, feed, offer);
      case JSON -> new Rendered(JSON, SuperfeedrJson.write(feed, status, fields, digest));
      case RSS -> new Rendered(RSS, RssWriter.write(feed, offer));
      case JSONFEED -> new Rendered(JSON_FEED, JsonFeedWriter.write(feed, offer));
      case ATOM, RAW, LIGHT ->
          new Rendered(ATOM, SuperfeedrAtom.write(feed, status, newest.at(), digest));
    };
  }

  /** News of a topic whose own format is not known are Atom, and so are news of a list. */
  private static Rendered auto(News news, Feed feed, PushOffer offer) {
    Event newest = news.newest();
    TopicFormat own = newest.update().format();
    FeedFamily family = news.family();
    return new Rendered(
        own == null || own.ofList() ? ATOM : contentType(own),
        TopicDocument.write(family, feed, newest.update().status(), offer, newest.at()));
  }

  private PushOffer offer(Feed feed, String topic, BridgedUrl.@Nullable Kind bridge) {
    if (bridge != null) {
      return bridges.offer(bridges.of(topic, bridge));
    }
    Hints own = feed.hints();
    return new PushOffer(topic, own.hubs(), own.clouds(), own.sourceCloud());
  }

  /** The origin's media type, for a document in UTF-8. */
  private static String contentType(TopicFormat own) {
    String type = own.mediaType() == null ? "" : own.mediaType().strip();
    if (type.length() > MAX_MEDIA_TYPE || !MEDIA_TYPE.matcher(type).matches()) {
      return switch (own.family()) {
        case RSS -> RSS;
        case RDF -> RDF;
        case ATOM, OPML -> ATOM;
        case JSON_FEED -> JSON_FEED;
      };
    }
    Matcher charset = CHARSET.matcher(type);
    return charset.find() && !charset.group(2).replace("\"", "").equalsIgnoreCase("utf-8")
        ? charset.replaceFirst("$1utf-8")
        : type;
  }
}
