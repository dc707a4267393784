package io.feedbridge.gateway.guard;

import io.feedbridge.gateway.client.address.WebAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server that is told of changes.
 *
 * @param url that the pings go to; for {@link Protocol#GET} with places for the URLs
 * @param feeds whose changes it is told of
 */
public record RelayTarget(Protocol protocol, String url, UrlPatterns feeds) {

  /** The most targets of a gateway. */
  public static final int MAX = 50;

  /** The place of the feed's URL in the URL of a ping by GET. */
  public static final String FEED_PLACE = "{url}";

  /** The place of the URL of the feed's page. */
  public static final String PAGE_PLACE = "{page}";

  private static final Pattern RULE =
      Pattern.compile("(\\S+?)=(hub|cloud|weblogs|get):(https?://\\S+)");

  /** How a target is told. */
  public enum Protocol {
    /** WebSub: {@code hub.mode=publish}. */
    HUB,
    /** rssCloud: {@code url=} to the cloud's ping. */
    CLOUD,
    /** {@code weblogUpdates.ping} by XML-RPC. */
    WEBLOGS,
    /** A GET request. */
    GET;

    /** As rules name it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The targets of some rules. Rules that name the same target are one.
   *
   * @param rules each {@code PATTERN=PROTOCOL:URL}, with a pattern as {@link UrlPatterns} has it
   * @throws IllegalArgumentException naming one that is none
   */
  public static List<RelayTarget> of(List<String> rules) {
    Map<String, List<String>> patterns = new LinkedHashMap<>();
    for (String rule : rules) {
      Matcher parts = RULE.matcher(rule);
      if (!parts.matches() || !isUrl(parts.group(2), parts.group(3))) {
        throw new IllegalArgumentException(
            "'%s' is not PATTERN=PROTOCOL:URL with hub, cloud, weblogs or get, such as *.example.org=hub:https://hub.example.org/ or *=get:https://ping.example.org/?u={url}"
                .formatted(rule));
      }
      patterns
          .computeIfAbsent(parts.group(2) + ":" + parts.group(3), any -> new ArrayList<>())
          .add(parts.group(1));
    }
    if (patterns.size() > MAX) {
      throw new IllegalArgumentException("there are more than %d targets".formatted(MAX));
    }
    return patterns.entrySet().stream()
        .map(one -> target(one.getKey(), UrlPatterns.parse(one.getValue())))
        .toList();
  }

  private static RelayTarget target(String name, UrlPatterns feeds) {
    int colon = name.indexOf(':');
    Protocol protocol = Protocol.valueOf(name.substring(0, colon).toUpperCase(Locale.ROOT));
    return new RelayTarget(protocol, name.substring(colon + 1), feeds);
  }

  private static boolean isUrl(String protocol, String url) {
    boolean hasPlace = url.contains(FEED_PLACE) || url.contains(PAGE_PLACE);
    String plain = url.replace(FEED_PLACE, "").replace(PAGE_PLACE, "");
    return protocol.equals("get") == hasPlace && WebAddress.of(plain).isPresent();
  }

  /** The host that is told. */
  public String host() {
    return WebAddress.hostOf(url.replace(FEED_PLACE, "").replace(PAGE_PLACE, ""));
  }
}
