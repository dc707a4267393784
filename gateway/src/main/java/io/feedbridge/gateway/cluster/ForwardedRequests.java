package io.feedbridge.gateway.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Request;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The header by which a node vouches for a request that it passes to another node: the address of
 * the client, the host that the client asked for, the time, and the hash of the body, signed with a
 * key that the nodes of one store share. Immutable and safe for use by several threads.
 */
public final class ForwardedRequests {

  /** The header field. A request that has it was forwarded once, and is not forwarded again. */
  public static final String HEADER = "Feedbridge-Forwarded";

  /** The most by which the clocks of two nodes may differ, with the time on the way. */
  static final Duration MOST_APART = Duration.ofMinutes(1);

  private static final String HOST = "Host";

  /** Stands for a client that sent no host. */
  private static final String NONE = "-";

  private static final String MAC = "HmacSHA256";
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final SecretKeySpec key;
  private final Clock clock;

  /**
   * With the key of a store.
   *
   * @param storeKey the gateway's own key, of which a key for this purpose is derived
   */
  public ForwardedRequests(byte[] storeKey, Clock clock) {
    key = new SecretKeySpec(mac(new SecretKeySpec(storeKey, MAC), "node to node"), MAC);
    this.clock = clock;
  }

  /** Has a server take the requests that nodes of the store pass on. */
  public ServerConfig.Forwards forwards() {
    return new ServerConfig.Forwards(HEADER, this::original);
  }

  /** The target of a request at another node, percent-encoded as Java's URIs want it. */
  static String target(Request request) {
    return uriText(
        request.rawQuery().isEmpty()
            ? request.rawPath()
            : request.rawPath() + "?" + request.rawQuery());
  }

  /** Clients send some characters that no URI has (RFC 3986 §2), unencoded. */
  private static String uriText(String target) {
    StringBuilder text = new StringBuilder(target.length());
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if ("\"<>\\^`{|}[]".indexOf(c) >= 0) {
        text.append('%').append(Integer.toHexString(0x100 | c).substring(1));
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  /** The header's value for a request that came from a client. */
  public String header(Request request) {
    InetAddress peer = request.peer().getAddress();
    String vouched =
        String.join(
            " ",
            String.valueOf(clock.millis()),
            peer == null ? NONE : peer.getHostAddress(),
            request.header(HOST).filter(host -> !host.isEmpty()).orElse(NONE),
            hash(request.body()));
    return vouched + " " + signature(request, vouched);
  }

  /**
   * The request that a client sent, if another node passed it on; any other request as it is.
   *
   * @throws BadRequestException if no node of this store signed the header for this request, or
   *     signed it long ago
   */
  public Request original(Request request) {
    List<String> values = request.headers().all(HEADER);
    if (values.isEmpty()) {
      return request;
    }
    String[] parts = values.get(0).split(" ", -1);
    if (values.size() > 1 || parts.length != 5) {
      throw refused("is malformed");
    }
    String vouched = String.join(" ", List.of(parts).subList(0, 4));
    if (!MessageDigest.isEqual(
        signature(request, vouched).getBytes(UTF_8), parts[4].getBytes(UTF_8))) {
      throw refused("is not signed by a node of this gateway's store");
    }
    if (!parts[3].equals(hash(request.body()))) {
      throw refused("is for another body");
    }
    Duration age = Duration.ofMillis(clock.millis() - Long.parseLong(parts[0]));
    if (age.abs().compareTo(MOST_APART) > 0) {
      throw refused("is %d s old: the clocks of the nodes differ".formatted(age.toSeconds()));
    }
    Request of = parts[2].equals(NONE) ? request : request.withHeader(HOST, parts[2]);
    return address(parts[1]).map(peer -> of.from(new InetSocketAddress(peer, 0))).orElse(of);
  }

  private static Optional<InetAddress> address(String text) {
    try {
      // Signed, so that no name is looked up.
      return text.equals(NONE) ? Optional.empty() : Optional.of(InetAddress.getByName(text));
    } catch (UnknownHostException e) {
      throw refused("names no address");
    }
  }

  private static BadRequestException refused(String why) {
    return new BadRequestException("the header %s %s".formatted(HEADER, why));
  }

  private String signature(Request request, String vouched) {
    return BASE64.encodeToString(
        mac(key, String.join("\n", request.method(), target(request), vouched)));
  }

  private static byte[] mac(SecretKeySpec key, String text) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(key);
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + MAC, e);
    }
  }

  private static String hash(byte[] body) {
    try {
      return BASE64.encodeToString(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
