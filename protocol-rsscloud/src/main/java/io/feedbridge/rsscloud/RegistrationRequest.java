package io.feedbridge.rsscloud;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * An aggregator's registration for one feed, in any protocol. It always names its domain, so that
 * the cloud tests the handler with a challenge and the address the call leaves from does not
 * matter.
 *
 * @param domain the aggregator's public host; an IPv6 literal is in brackets
 * @param port its public port
 * @param path the path, and query if any, that notifications go to
 * @param protocol to be notified by: the cloud's own. Among http-post and https-post it names a
 *     method: clouds differ in the scheme by which they call it, see {@link #ways}
 * @param feedUrl the feed
 */
public record RegistrationRequest(
    String domain, int port, String path, CloudProtocol protocol, String feedUrl) {

  /**
   * The requests of an aggregator with a public address, in the order in which a cloud is asked
   * until it takes one. An aggregator that is public by https on port 443 asks for http-post first:
   * clouds call port 443 by https, and some know http-post alone. On another port they would call
   * http-post by http, so https-post is first. There is one request for xml-rpc and soap, and for
   * an aggregator that is public by http.
   *
   * @param cloud the protocol that the cloud is called by
   * @param publicUrl of which scheme, host and port count
   * @param callbackPath the full path, with a leading slash; unguessable, one per feed. Some clouds
   *     append a query to it, so it has none
   * @throws IllegalArgumentException if these make no URL
   */
  public static List<RegistrationRequest> ways(
      CloudProtocol cloud, URI publicUrl, String callbackPath, String feedUrl) {
    RegistrationRequest first = of(cloud, publicUrl, callbackPath, feedUrl);
    boolean https = "https".equalsIgnoreCase(publicUrl.getScheme());
    if (!https || !first.protocol.isRest()) {
      return List.of(first);
    }
    CloudProtocol other =
        first.protocol == CloudProtocol.HTTP_POST
            ? CloudProtocol.HTTPS_POST
            : CloudProtocol.HTTP_POST;
    return List.of(
        first, new RegistrationRequest(first.domain, first.port, first.path, other, feedUrl));
  }

  /**
   * The first of the {@link #ways}.
   *
   * @param cloud the protocol that the cloud is called by
   * @param publicUrl of which scheme, host and port count
   * @param callbackPath the full path, with a leading slash; unguessable, one per feed
   * @throws IllegalArgumentException if these make no URL
   */
  public static RegistrationRequest of(
      CloudProtocol cloud, URI publicUrl, String callbackPath, String feedUrl) {
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
    boolean byScheme = https && port != WebUrl.HTTPS_PORT;
    CloudProtocol byForm = byScheme ? CloudProtocol.HTTPS_POST : CloudProtocol.HTTP_POST;
    CloudProtocol protocol = cloud.isRest() ? byForm : cloud;
    return new RegistrationRequest(host.get(), port, callbackPath, protocol, feedUrl);
  }

  /** The form to POST as {@link RssCloud#FORM_CONTENT_TYPE}. */
  public String form() {
    return String.join(
        "&",
        Form.parameter("notifyProcedure", ""),
        Form.parameter("port", Integer.toString(port)),
        Form.parameter("path", path),
        Form.parameter("protocol", protocol.wireName()),
        Form.parameter("url1", feedUrl),
        Form.parameter("domain", domain));
  }

  /**
   * The call to make by xml-rpc or soap. The arguments have names, which only SOAP writes.
   *
   * @param registerProcedure as the cloud names it
   */
  public RpcCall call(String registerProcedure) {
    return new RpcCall(
        registerProcedure,
        List.of(
            text("notifyProcedure", RssCloud.NOTIFY_PROCEDURE),
            new RpcCall.Argument("port", new RpcValue.Int(port)),
            text("path", path),
            text("protocol", protocol.wireName()),
            new RpcCall.Argument("urlList", RpcValue.Items.ofTexts(List.of(feedUrl))),
            text("domain", domain)));
  }

  private static RpcCall.Argument text(String name, String text) {
    return new RpcCall.Argument(name, new RpcValue.Text(text));
  }
}
