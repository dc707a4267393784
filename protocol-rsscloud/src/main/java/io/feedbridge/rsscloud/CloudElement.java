package io.feedbridge.rsscloud;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * RSS 2.0's {@code <cloud domain port path registerProcedure protocol/>}.
 *
 * @param domain a host name in lower case, an IPv4 address or an IPv6 literal in brackets
 * @param port 1 to 65535
 * @param path with a leading slash, may have a query
 * @param registerProcedure the procedure to call by xml-rpc or soap; means nothing to http-post,
 *     may be empty
 * @param protocol as the element names it
 */
public record CloudElement(
    String domain, int port, String path, String registerProcedure, CloudProtocol protocol)
    implements CloudEndpoint {

  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if the parts make no URL; {@link #parse} reads the element of
   *     a feed
   */
  public CloudElement {
    if (Host.parse(domain).filter(domain::equals).isEmpty() || !path.startsWith("/")) {
      throw new IllegalArgumentException("the cloud has no valid domain, or no rooted path");
    }
    try {
      url(domain, port, path, protocol);
    } catch (MalformedException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Reads the attributes of the element, null where one is missing. White space around them is
   * forgiven, and so is a missing path or registerProcedure. Where protocol is missing, a
   * registerProcedure that is the name of a protocol counts as the protocol.
   *
   * @return empty if there is no such port or protocol, or the domain is more than a host
   */
  public static Optional<CloudElement> parse(
      @Nullable String domain,
      @Nullable String port,
      @Nullable String path,
      @Nullable String registerProcedure,
      @Nullable String protocol) {
    Optional<String> host = Host.parse(stripped(domain));
    Optional<Integer> portNumber = WebUrl.port(stripped(port));
    Optional<CloudProtocol> misplaced =
        stripped(protocol).isEmpty()
            ? CloudProtocol.ofWireName(stripped(registerProcedure))
            : Optional.empty();
    Optional<CloudProtocol> known =
        misplaced.isPresent() ? misplaced : CloudProtocol.ofWireName(stripped(protocol));
    if (host.isEmpty() || portNumber.isEmpty() || known.isEmpty()) {
      return Optional.empty();
    }
    String bare = stripped(path);
    String rooted = bare.startsWith("/") ? bare : "/" + bare;
    try {
      url(host.get(), portNumber.get(), rooted, known.get());
    } catch (MalformedException notAnAddress) {
      return Optional.empty();
    }
    return Optional.of(
        new CloudElement(
            host.get(),
            portNumber.get(),
            rooted,
            misplaced.isPresent() ? "" : stripped(registerProcedure),
            known.get()));
  }

  @Override
  public String registrationUrl() {
    try {
      return url(domain, port, path, protocol);
    } catch (MalformedException e) {
      throw new IllegalStateException("was checked when made", e);
    }
  }

  private static String url(String domain, int port, String path, CloudProtocol protocol)
      throws MalformedException {
    boolean https = protocol == CloudProtocol.HTTPS_POST || port == WebUrl.HTTPS_PORT;
    return WebUrl.of(https, domain, port, path);
  }

  private static String stripped(@Nullable String text) {
    return text == null ? "" : text.strip();
  }
}
