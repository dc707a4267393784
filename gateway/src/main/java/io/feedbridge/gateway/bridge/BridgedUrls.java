package io.feedbridge.gateway.bridge;

import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The URLs of a gateway's bridged feeds. Immutable. */
public final class BridgedUrls {

  private static final String PARAMETER = "url=";

  private final String base;

  /** Those of the gateway under that URL. */
  public BridgedUrls(URI publicUrl) {
    base = publicUrl.toString();
  }

  /** Where the bridged feed of a topic is. */
  public String of(String topic, Kind kind) {
    return base + kind.path() + "?" + PARAMETER + URLEncoder.encode(topic, StandardCharsets.UTF_8);
  }

  /**
   * Takes a URL apart.
   *
   * @return empty if it is none of a bridged feed here
   * @throws BadBridgeException if it is one that stands for no feed, as that of a bridged feed of a
   *     bridged feed
   */
  public Optional<BridgedUrl> find(String url) {
    for (Kind kind : Kind.values()) {
      String path = base + kind.path();
      // What another spelling of the host stands for is found by fetching it, as for anyone else.
      if (url.toLowerCase(Locale.ROOT).startsWith(path.toLowerCase(Locale.ROOT))
          && (url.length() == path.length() || url.charAt(path.length()) == '?')) {
        String query = url.length() == path.length() ? "" : url.substring(path.length() + 1);
        return Optional.of(new BridgedUrl(topic(query), kind));
      }
    }
    return Optional.empty();
  }

  private String topic(String query) {
    List<String> urls = new ArrayList<>();
    for (String parameter : query.split("&", -1)) {
      if (parameter.startsWith(PARAMETER)) {
        urls.add(parameter.substring(PARAMETER.length()));
      }
    }
    if (urls.size() != 1) {
      throw new BadBridgeException("a bridged feed names its feed in one parameter url");
    }
    try {
      return topicOf(URLDecoder.decode(urls.get(0), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException badEncoding) {
      throw new BadBridgeException(
          "the url of the bridged feed is not percent-encoded as it should");
    }
  }

  /**
   * The topic that somebody asks to have bridged.
   *
   * @param url decoded
   * @throws BadBridgeException if it is no topic, or bridged itself
   */
  public String topicOf(String url) {
    String topic;
    try {
      topic = TopicUrl.normalize(url);
    } catch (BadHubRequestException e) {
      throw new BadBridgeException("the url of the bridged feed cannot be followed: " + e.reason());
    }
    if (find(topic).isPresent()) {
      throw new BadBridgeException("a bridged feed of a bridged feed is not served: name the feed");
    }
    return topic;
  }
}
