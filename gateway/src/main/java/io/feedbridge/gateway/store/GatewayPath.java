package io.feedbridge.gateway.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The gateways that get a feed through a subscription, as the subscribing gateway names them in a
 * header of its request to a hub or a cloud. A gateway that finds itself among them would receive
 * its own deliveries back, so it denies the request: the subscription would close a ring of
 * gateways.
 *
 * @param ids one for each gateway, at most {@link #MAX_LENGTH}
 */
public record GatewayPath(List<String> ids) {

  /** The header of a request to subscribe. */
  public static final String HEADER = "Feedbridge-Path";

  /**
   * The reason that a gateway gives for the denial. A gateway that a cloud refuses for this reason
   * knows that its registration there has ended.
   */
  public static final String RING = "this gateway follows the topic through yours";

  /** Gateways in one path; further ones are left out, and a longer ring is not noticed. */
  public static final int MAX_LENGTH = 32;

  /** The path of a subscriber that is no gateway. */
  public static final GatewayPath NONE = new GatewayPath(List.of());

  private static final int ID_BYTES = 8;
  private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");

  public GatewayPath {
    ids = List.copyOf(ids);
  }

  /** The path in the values of the header; whatever is no id is left out. */
  public static GatewayPath read(List<String> values) {
    Set<String> ids = new LinkedHashSet<>();
    for (String value : values) {
      for (String id : value.split(",", -1)) {
        if (ids.size() < MAX_LENGTH && ID.matcher(id.strip()).matches()) {
          ids.add(id.strip());
        }
      }
    }
    return ids.isEmpty() ? NONE : new GatewayPath(List.copyOf(ids));
  }

  /** A path that begins at a gateway and continues with the paths of its subscribers. */
  public static GatewayPath from(String publicUrl, Collection<GatewayPath> subscribers) {
    Set<String> ids = new LinkedHashSet<>();
    ids.add(id(publicUrl));
    subscribers.forEach(path -> ids.addAll(path.ids));
    return new GatewayPath(ids.stream().limit(MAX_LENGTH).toList());
  }

  /** Whether a gateway is in the path. */
  public boolean contains(String publicUrl) {
    return !ids.isEmpty() && ids.contains(id(publicUrl));
  }

  /** The value of the header. */
  public String header() {
    return String.join(", ", ids);
  }

  /** A hash: a hub is not told the addresses of gateways behind its subscriber. */
  private static String id(String publicUrl) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(publicUrl.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
