package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.config.LoopbackName;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether a request may act as the operator. With an admin token: each request that shows
 * it. Without one: requests of this machine alone, as long as no sign shows another client behind
 * them. A proxy on this machine must not open the gateway to the world, nor must a web page that a
 * browser on this machine shows (by a request across sites, or by a name of its own that it lets
 * point to 127.0.0.1). Thread-safe.
 */
public final class AdminAccess {

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final String REALM = "realm=\"feedbridge\"";

  /** Fields that proxies add, beside {@code X-Forwarded-…}. */
  private static final Set<String> PROXY_FIELDS =
      Set.of("forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip");

  /** How the User-Agent begins in a gateway's fetches and deliveries. */
  private static final String GATEWAY_AGENT = "feedbridge/";

  private final Optional<byte[]> tokenHash;

  private final URI publicUrl;

  public AdminAccess(Optional<Secret> token, URI publicUrl) {
    tokenHash = token.map(secret -> hash(secret.text().getBytes(StandardCharsets.UTF_8)));
    this.publicUrl = publicUrl;
  }

  /** The answer to a request that is refused; empty for one that is let in. */
  public Optional<Response> refusal(Request request) {
    if (tokenHash.isPresent()) {
      return showsToken(request) ? Optional.empty() : Optional.of(unauthorized());
    }
    return objection(request)
        .map(
            objection ->
                Answers.problem(
                    FORBIDDEN,
                    "without an --admin-token only this machine is served, and " + objection));
  }

  /**
   * Whether an operator asks for something that is open to others too. Where there is a token, this
   * machine counts for nothing without it, as for the API.
   */
  public boolean isOperator(Request request) {
    return tokenHash.isPresent() ? showsToken(request) : objection(request).isEmpty();
  }

  private static Response unauthorized() {
    return Answers.problem(UNAUTHORIZED, "show the admin token: Authorization: Bearer TOKEN")
        .plusHeader("WWW-Authenticate", "Bearer " + REALM)
        .plusHeader("WWW-Authenticate", "Basic " + REALM + ", charset=\"UTF-8\"");
  }

  /**
   * Whether a request without a token may act as the operator, as no token is set. A link of
   * another site may not: it can lead to a call that acts.
   */
  public boolean isOpenTo(Request request) {
    return tokenHash.isEmpty() && objection(request).isEmpty() && !OtherSite.caused(request);
  }

  /** Whether these are the operator's; the name does not matter. */
  public boolean isOperator(Credentials shown) {
    return tokenHash.isPresent() && isToken(shown.secret());
  }

  private boolean showsToken(Request request) {
    return Credentials.inHeader(request).filter(this::isOperator).isPresent();
  }

  /** Compares hashes, so that the time it takes tells neither a prefix nor the length. */
  private boolean isToken(byte[] shown) {
    return MessageDigest.isEqual(tokenHash.orElseThrow(), hash(shown));
  }

  private static byte[] hash(byte[] text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** The reason against a request without a token, if there is one. */
  private Optional<String> objection(Request request) {
    InetAddress peer = request.peer().getAddress();
    if (peer == null || !peer.isLoopbackAddress()) {
      return Optional.of("this request comes from another machine");
    }
    if (!LoopbackName.is(String.valueOf(publicUrl.getHost()))) {
      return Optional.of("the --public-url is not loopback");
    }
    if (request.headers().asMap().keySet().stream().anyMatch(AdminAccess::isForwarding)) {
      return Optional.of("this request came through a proxy");
    }
    if (request.headers().all("User-Agent").stream().anyMatch(AdminAccess::isGateway)) {
      return Optional.of("a gateway made this request for another caller");
    }
    List<String> hosts = request.headers().all("Host");
    if (hosts.size() != 1 || !LoopbackName.is(withoutPort(hosts.get(0)))) {
      return Optional.of("the Host of this request is not a loopback name");
    }
    if (!request.headers().all("Origin").stream().allMatch(o -> isOurs(o, hosts.get(0)))) {
      return Optional.of("the Origin of this request is another site");
    }
    if (isOfAnotherSite(request)) {
      return Optional.of("a page of another site made this request");
    }
    return Optional.empty();
  }

  /**
   * Whether another site's page caused the request. A resource that a page embeds without scripts
   * (an image, a script) has no Origin, but browsers mark the request as cross-site. Following a
   * link is the user's own doing.
   */
  private static boolean isOfAnotherSite(Request request) {
    boolean link =
        request.headers().all("Sec-Fetch-Mode").equals(List.of("navigate"))
            && request.headers().all("Sec-Fetch-Dest").equals(List.of("document"));
    return !link
        && !request.headers().all("Sec-Fetch-Site").stream()
            .allMatch(site -> site.equals("same-origin") || site.equals("none"));
  }

  private static boolean isForwarding(String header) {
    String name = header.toLowerCase(Locale.ROOT);
    return PROXY_FIELDS.contains(name) || name.startsWith("x-forwarded-");
  }

  /** A topic or a callback that a stranger chose may lead a gateway of this machine here. */
  private static boolean isGateway(String userAgent) {
    return userAgent.strip().toLowerCase(Locale.ROOT).startsWith(GATEWAY_AGENT);
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
  }

  /** The public URL's own, or that of the very address the request was sent to. */
  private boolean isOurs(String origin, String host) {
    int port = publicUrl.getPort();
    boolean usual = port < 0 || port == ("https".equals(publicUrl.getScheme()) ? 443 : 80);
    String ofPublicUrl =
        publicUrl.getScheme() + "://" + publicUrl.getHost() + (usual ? "" : ":" + port);
    return origin.equalsIgnoreCase(ofPublicUrl)
        || origin.equalsIgnoreCase("http://" + host)
        || origin.equalsIgnoreCase(publicUrl.getScheme() + "://" + host);
  }
}
