package io.feedbridge.normalizer;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a written feed says that it can be followed: in place of the offer of the feed's own
 * document, where a gateway offers the feed under an address of its own. Immutable.
 *
 * @param self the address of the document itself, the topic of its hubs (WebSub §4)
 * @param hubs WebSub hubs, the best first
 * @param clouds rssCloud servers as RSS 2.0 has them, the best first; RSS has room for one
 * @param sourceCloud the full URL to register at, as {@code source:cloud} has it
 */
public record PushOffer(
    @Nullable String self,
    List<String> hubs,
    List<Hints.Cloud> clouds,
    @Nullable String sourceCloud) {

  /** No push at all. */
  public static final PushOffer NONE = new PushOffer(null, List.of(), List.of(), null);

  public PushOffer {
    self = Present.text(self);
    hubs = Present.list(hubs);
    clouds = Present.list(clouds);
    sourceCloud = Present.text(sourceCloud);
  }

  /** The offer of the feed's own document. */
  public static PushOffer of(Feed feed) {
    Hints hints = feed.hints();
    return new PushOffer(hints.self(), hints.hubs(), hints.clouds(), hints.sourceCloud());
  }

  /** The feed with this offer in place of its own, in its links and its hints. */
  public Feed on(Feed feed) {
    List<Link> links = new ArrayList<>();
    if (self != null) {
      links.add(Link.of(Link.SELF, self, null));
    }
    hubs.forEach(hub -> links.add(Link.of(Link.HUB, hub, null)));
    feed.links().stream().filter(link -> !isOffer(link)).forEach(links::add);
    return on(feed, links);
  }

  Feed on(Feed feed, List<Link> links) {
    Hints said = feed.hints();
    Hints hints =
        new Hints(
            said.ttl(),
            said.skipHours(),
            said.skipDays(),
            said.updatePeriod(),
            said.updateBase(),
            hubs,
            self,
            clouds,
            sourceCloud);
    return feed.withHints(links, hints);
  }

  static boolean isOffer(Link link) {
    return link.rel().equals(Link.SELF) || link.rel().equals(Link.HUB);
  }
}
