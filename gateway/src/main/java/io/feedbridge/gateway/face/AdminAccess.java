package io.feedbridge.gateway.face;

import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Who may do what operators may. With an admin token: whoever shows it. Without one: this machine
 * alone, as long as nothing hints at somebody else behind the request. A proxy on this machine must
 * not open the gateway to the world, nor must a web page that a browser on this machine shows (by a
 * request across sites, or by a name of its own that it lets point to 127.0.0.1). Thread-safe.
 */
final class AdminAccess {

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final String REALM = "realm=\"feedbridge\"";

  /** Strict, since what is no address would be looked up as a name. */
  private static final Pattern LOOPBACK_V4 =
      Pattern.compile("127(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}");

  private final Optional<byte[]> tokenHash;
  private final URI publicUrl;

  AdminAccess(Optional<Secret> token, URI publicUrl) {
    tokenHash = token.map(secret -> hash(secret.text().getBytes(StandardCharsets.UTF_8)));
    this.publicUrl = publicUrl;
  }

  /** The answer to a request that is refused; empty for one that is let in. */
  Optional<Response> refusal(Request request) {
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

  /** Whether it is an operator who asks for something that is open to others too. */
  boolean isOperator(Request request) {
    return (tokenHash.isPresent() && showsToken(request)) || objection(request).isEmpty();
  }

  private static Response unauthorized() {
    return Answers.problem(UNAUTHORIZED, "show the admin token: Authorization: Bearer TOKEN")
        .plusHeader("WWW-Authenticate", "Bearer " + REALM)
        .plusHeader("WWW-Authenticate", "Basic " + REALM + ", charset=\"UTF-8\"");
  }

  /** Whether a request without a token may do what operators may, as none is asked for. */
  boolean isOpenTo(Request request) {
    return tokenHash.isEmpty() && objection(request).isEmpty();
  }

  /** Whether these are the operator's; the name does not matter. */
  boolean isOperator(Credentials shown) {
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

  /** What speaks against a request without a token. */
  private Optional<String> objection(Request request) {
    InetAddress peer = request.peer().getAddress();
    if (peer == null || !peer.isLoopbackAddress()) {
      return Optional.of("this request comes from elsewhere");
    }
    if (!isLoopbackName(String.valueOf(publicUrl.getHost()))) {
      return Optional.of("the --public-url is not loopback");
    }
    if (request.headers().asMap().keySet().stream().anyMatch(AdminAccess::isForwarding)) {
      return Optional.of("this request came through a proxy");
    }
    List<String> hosts = request.headers().all("Host");
    if (hosts.size() != 1 || !isLoopbackName(withoutPort(hosts.get(0)))) {
      return Optional.of("the Host of this request is no loopback name");
    }
    if (!request.headers().all("Origin").stream().allMatch(o -> isOurs(o, hosts.get(0)))) {
      return Optional.of("the Origin of this request is another one");
    }
    if (isOfAnotherSite(request)) {
      return Optional.of("a page of another site made this request");
    }
    return Optional.empty();
  }

  /**
   * What a page embeds without scripts of its own (an image, a script) has no Origin, but browsers
   * say that it is of another site. Following a link is the user's own doing.
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
    return name.equals("forwarded") || name.startsWith("x-forwarded-");
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
  }

  /** A name that no DNS is asked for. */
  private static boolean isLoopbackName(String host) {
    if (host.equalsIgnoreCase("localhost") || LOOPBACK_V4.matcher(host).matches()) {
      return true;
    }
    try {
      // In brackets nothing but an address is taken.
      return host.startsWith("[") && InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException notAnAddress) {
      return false;
    }
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
