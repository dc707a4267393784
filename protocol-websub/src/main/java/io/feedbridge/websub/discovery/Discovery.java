package io.feedbridge.websub.discovery;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Discovery in the order of WebSub §4: the headers, then the feed, then the head of the page. */
public final class Discovery {
  private Discovery() {}

  /**
   * Looks for hubs, the canonical URL, feeds and the guard. Hubs come from the first place that has
   * any, and so does {@code self}: a header names the hub of many a feed that has its {@code self}
   * inside. JSON is not looked into. Never throws for any content.
   *
   * @param finalUrl absolute; where the content came from after all redirects
   * @param linkHeaders every value of the {@code Link} header
   * @param contentType the header's value; a hint only, since feeds are often mislabelled
   * @param body the content, of bounded length
   */
  public static Discovered discover(
      URI finalUrl, List<String> linkHeaders, @Nullable String contentType, byte[] body) {
    FoundLinks header = inHeaders(finalUrl, linkHeaders);
    FoundLinks content = new FoundLinks();
    FeedLinks.Root root = FeedLinks.read(body, finalUrl, content);
    boolean page =
        root == FeedLinks.Root.HTML
            || (root == FeedLinks.Root.OTHER && PageLinks.looksLikePage(contentType, body));
    if (page) {
      PageLinks.read(body, contentType, finalUrl, content);
    }
    List<FeedAlternate> alternates = new ArrayList<>(header.alternates());
    for (FeedAlternate found : content.alternates()) {
      if (alternates.stream().noneMatch(known -> known.url().equals(found.url()))) {
        alternates.add(found);
      }
    }
    Optional<URI> self = header.self().or(content::self);
    List<URI> hubs = header.hubs().isEmpty() ? content.hubs() : header.hubs();
    return new Discovered(hubs, self, alternates, header.guard().or(content::guard));
  }

  private static FoundLinks inHeaders(URI finalUrl, List<String> linkHeaders) {
    FoundLinks found = new FoundLinks();
    for (Link link : LinkHeader.parse(linkHeaders)) {
      if (isAbout(finalUrl, link)) {
        String type = link.params().getOrDefault("type", "");
        String title = link.params().getOrDefault("title", "");
        found.add(finalUrl, link.rels(), link.target(), type, title);
      }
    }
    return found;
  }

  /** A link with an anchor may say something of another resource (RFC 8288 §3.2). */
  private static boolean isAbout(URI finalUrl, Link link) {
    String anchor = link.params().get("anchor");
    return anchor == null
        || HttpReference.resolve(finalUrl, anchor).equals(HttpReference.resolve(finalUrl, ""));
  }
}
