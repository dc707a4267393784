package io.feedbridge.gateway.web.console.pages;

import io.feedbridge.gateway.publish.BridgedDocument;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.console.kit.Templates;
import io.feedbridge.gateway.web.console.view.BridgedView;
import io.feedbridge.gateway.web.console.view.Frame;
import io.feedbridge.gateway.web.console.view.Text;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Pages that a browser gets in place of a bridged feed. Stateless. */
public final class BridgedPages {

  /** Entries on a page. */
  static final int MAX_ENTRIES = 30;

  private static final int OK = 200;

  private final Templates templates;
  private final Clock clock;
  private final URI publicUrl;

  /** Pages of these templates, for the feeds of a gateway under a URL. */
  public BridgedPages(Templates templates, Clock clock, URI publicUrl) {
    this.publicUrl = publicUrl;
    this.templates = templates;
    this.clock = clock;
  }

  /**
   * Whether a request is a person's: its {@code Accept} begins with HTML, and names no format of
   * feeds.
   */
  public static boolean isForPeople(Request request) {
    String accept =
        String.join(",", request.headers().all("Accept")).strip().toLowerCase(Locale.ROOT);
    return accept.startsWith("text/html")
        && !accept.contains("rss")
        && !accept.contains("atom")
        && !accept.contains("feed+json");
  }

  /** The page of a feed; it reads the document, which may take some time. */
  public Response of(String topic, BridgedDocument document) {
    Optional<Feed> feed;
    try {
      feed =
          Optional.of(new FeedParser().parse(document.bytes(), document.contentType(), publicUrl));
    } catch (FeedParseException e) {
      feed = Optional.empty();
    }
    String title = feed.map(Feed::title).orElse(topic);
    List<BridgedView.Item> items =
        feed.map(Feed::entries).orElse(List.of()).stream()
            .limit(MAX_ENTRIES)
            .map(BridgedPages::item)
            .toList();
    return page(OK, title, new BridgedView(topic, document.self(), "", items));
  }

  private static BridgedView.Item item(Entry entry) {
    String title = entry.title();
    return new BridgedView.Item(
        title == null || title.isBlank() ? entry.id() : title,
        Objects.requireNonNullElse(entry.permalink(), ""),
        entry.published() == null ? entry.updated() : entry.published());
  }

  /** The page that says why there is no feed. */
  public Response refused(int status, String topic, String reason) {
    return page(status, "No feed here", new BridgedView(topic, "", reason, List.of()));
  }

  private Response page(int status, String title, BridgedView view) {
    Frame frame =
        new Frame(
            title,
            "",
            false,
            false,
            false,
            "",
            null,
            templates.assets(),
            new Text(clock.instant()));
    return templates
        .page(status, "bridged", Map.of("frame", frame, "view", view), false)
        .withHeader("Vary", "Accept");
  }
}
