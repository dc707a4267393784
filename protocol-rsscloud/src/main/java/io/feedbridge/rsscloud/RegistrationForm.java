package io.feedbridge.rsscloud;

import java.net.URI;
import java.util.Optional;

/**
 * An aggregator's REST registration for one feed. It always names its domain, so that the cloud
 * tests the handler with a challenge and the address the call leaves from does not matter.
 *
 * @param domain the aggregator's public host; an IPv6 literal is in brackets
 * @param port its public port
 * @param path the path, and query if any, that notifications go to
 * @param protocol http-post, or https-post where the aggregator is public by https
 * @param feedUrl the feed
 */
public record RegistrationForm(
    String domain, int port, String path, CloudProtocol protocol, String feedUrl) {

  /**
   * The form for an aggregator's public address.
   *
   * @param publicUrl of which scheme, host and port count
   * @param callbackPath the full path, with a leading slash; unguessable, one per feed
   * @throws IllegalArgumentException if these make no URL
   */
  public static RegistrationForm of(URI publicUrl, String callbackPath, String feedUrl) {
    String scheme = publicUrl.getScheme();
    boolean https = "https".equalsIgnoreCase(scheme);
    Optional<String> host = Optional.ofNullable(publicUrl.getHost()).flatMap(Host::parse);
    if (!(https || "http".equalsIgnoreCase(scheme)) || host.isEmpty()) {
      throw new IllegalArgumentException("the public URL is no http or https URL: " + publicUrl);
    }
    int ownPort = https ? WebUrl.HTTPS_PORT : WebUrl.HTTP_PORT;
    int port = publicUrl.getPort() < 0 ? ownPort : publicUrl.getPort();
    try {
      WebUrl.of(https, host.get(), port, callbackPath);
    } catch (MalformedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    CloudProtocol protocol = https ? CloudProtocol.HTTPS_POST : CloudProtocol.HTTP_POST;
    return new RegistrationForm(host.get(), port, callbackPath, protocol, feedUrl);
  }

  /** The form to POST as {@link RssCloud#FORM_CONTENT_TYPE}. */
  public String body() {
    return String.join(
        "&",
        Form.parameter("notifyProcedure", ""),
        Form.parameter("port", Integer.toString(port)),
        Form.parameter("path", path),
        Form.parameter("protocol", protocol.wireName()),
        Form.parameter("url1", feedUrl),
        Form.parameter("domain", domain));
  }
}
