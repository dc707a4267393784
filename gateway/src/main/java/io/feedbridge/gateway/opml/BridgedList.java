package io.feedbridge.gateway.opml;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Lists of feeds with the URLs of bridged feeds in place of the feeds' own. A feed that cannot be
 * bridged keeps its URL, so that no list gets shorter.
 */
public final class BridgedList {

  /** The names of the formats, as callers choose one. */
  public static final String KINDS = "atom, rss or json";

  private final BridgedUrls bridges;
  private final Policies policies;

  public BridgedList(BridgedUrls bridges, Policies policies) {
    this.bridges = bridges;
    this.policies = policies;
  }

  /** The format of that name; atom for an empty one, empty for a wrong one. */
  public static Optional<BridgedUrl.Kind> kind(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "", "atom" -> Optional.of(BridgedUrl.Kind.ATOM);
      case "rss" -> Optional.of(BridgedUrl.Kind.RSS);
      case "json" -> Optional.of(BridgedUrl.Kind.JSON);
      default -> Optional.empty();
    };
  }

  /** The feeds of the same list as bridged feeds of that format. */
  public List<Outline> of(List<Outline> outlines, BridgedUrl.Kind kind) {
    return outlines.stream()
        .filter(Outline::namesFeed)
        .map(
            outline ->
                topic(outline.url())
                    .map(topic -> new Outline(bridges.of(topic, kind), outline.title()))
                    .orElse(outline))
        .toList();
  }

  /** The feed that a URL of a list means, if it may be bridged. */
  private Optional<String> topic(String url) {
    try {
      String topic = TopicUrl.normalize(url);
      Optional<BridgedUrl> bridged = bridges.find(topic);
      String meant = bridged.isPresent() ? bridged.get().topic() : topic;
      return policies.permitTopic(meant) ? Optional.of(meant) : Optional.empty();
    } catch (BadHubRequestException | BadBridgeException e) {
      return Optional.empty();
    }
  }
}
