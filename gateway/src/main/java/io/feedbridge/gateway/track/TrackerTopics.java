package io.feedbridge.gateway.track;

import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.ingest.fetch.LocalTopics;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.Link;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrAtom;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The URLs of trackers, {@code /track?query=…} below the public URL, which are their topics. */
public final class TrackerTopics implements LocalTopics {

  private static final String CONTENT_TYPE = "application/atom+xml";
  private static final String QUERY = "query=";

  private final String base;

  /** The trackers of a gateway. */
  public TrackerTopics(URI publicUrl) {
    base = publicUrl + TrackerPolicy.PATH;
  }

  /** Whether a URL is, or is meant to be, that of a tracker. */
  public boolean isTracker(String topic) {
    return TrackerPolicy.isTracker(base, topic);
  }

  /**
   * The query of a tracker.
   *
   * @param topic for which {@link #isTracker} holds
   * @throws BadQueryException if it has none, or a text that is none
   */
  public Query query(String topic) throws BadQueryException {
    return QueryParser.parse(text(topic));
  }

  private String text(String topic) {
    String query = topic.length() > base.length() ? topic.substring(base.length() + 1) : "";
    for (String parameter : query.split("&", -1)) {
      if (parameter.startsWith(QUERY)) {
        try {
          return URLDecoder.decode(parameter.substring(QUERY.length()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException badEscape) {
          return "";
        }
      }
    }
    return "";
  }

  /** A tracker without entries: all that it finds comes from the log. */
  @Override
  public Optional<Document> find(String url) {
    if (!isTracker(url)) {
      return Optional.empty();
    }
    try {
      query(url);
    } catch (BadQueryException noTracker) {
      return Optional.empty();
    }
    Feed feed =
        new Feed(
            url,
            "Track: " + text(url),
            null,
            null,
            null,
            List.of(new Link("self", url, CONTENT_TYPE, null, null)),
            List.of(),
            List.of(),
            Hints.NONE,
            List.of());
    return Optional.of(
        new Document(CONTENT_TYPE, SuperfeedrAtom.write(feed, Status.of(url), Instant.EPOCH)));
  }
}
