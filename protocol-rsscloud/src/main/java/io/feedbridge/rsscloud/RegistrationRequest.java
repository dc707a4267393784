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
 * @param protocol to be notified by: the cloud's own, but for https-post in place of http-post
 *     where the aggregator is public by https
 * @param feedUrl the feed
 */
public record RegistrationRequest(
    String domain, int port, String path, CloudProtocol protocol, String feedUrl) {

  /**
   * The request of an aggregator with a public address.
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
    CloudProtocol byForm = https ? CloudProtocol.HTTPS_POST : CloudProtocol.HTTP_POST;
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
