package io.feedbridge.gateway.bridge;

import io.feedbridge.gateway.bridge.BridgedUrl.Kind;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.PushOffer;
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

  private final URI publicUrl;
  private final String base;

  /** The URLs of bridged feeds at the gateway with that public URL. */
  public BridgedUrls(URI publicUrl) {
    this.publicUrl = publicUrl;
    base = publicUrl.toString();
  }

  /** The gateway's own URL, without a trailing slash. */
  public String base() {
    return base;
  }

  /** Where the bridged feed of a topic is. */
  public String of(String topic, Kind kind) {
    return base + kind.path() + "?" + PARAMETER + URLEncoder.encode(topic, StandardCharsets.UTF_8);
  }

  /** Where the gateway's hub is. */
  public String hub() {
    return base + "/hub";
  }

  /**
   * The push that a document of the gateway offers: its hub and its cloud.
   *
   * @param self the URL of the document
   */
  public PushOffer offer(String self) {
    boolean https = "https".equalsIgnoreCase(publicUrl.getScheme());
    int port = publicUrl.getPort() < 0 ? (https ? 443 : 80) : publicUrl.getPort();
    String register = "/pleaseNotify";
    Hints.Cloud cloud =
        new Hints.Cloud(
            String.valueOf(publicUrl.getHost()),
            port,
            register,
            "",
            https ? "https-post" : "http-post");
    return new PushOffer(self, List.of(hub()), List.of(cloud), base + register);
  }

  /**
   * Takes a URL apart.
   *
   * @return empty if it is not the URL of a bridged feed here
   * @throws BadBridgeException if it stands for no feed, such as a bridged feed of a bridged feed
   */
  public Optional<BridgedUrl> find(String url) {
    for (Kind kind : Kind.values()) {
      String path = base + kind.path();
      // A URL with another spelling of the host is fetched like any other URL.
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
   * The topic of a requested bridged feed.
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
