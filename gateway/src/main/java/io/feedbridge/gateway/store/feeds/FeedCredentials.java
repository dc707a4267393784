package io.feedbridge.gateway.store.feeds;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of requests for a feed that its origin alone may see, and the proxy of these requests.
 * Immutable.
 *
 * @param auth the value of {@code Authorization}; absent where no credentials are sent
 * @param headers further fields by their names, in the order to send
 * @param userAgent in place of the gateway's own; absent where that is sent
 * @param proxy its URL, with user and password if it has them; absent where the origin is asked
 *     directly, and in values of earlier versions
 */
public record FeedCredentials(
    @Nullable Auth auth,
    Map<String, String> headers,
    @Nullable String userAgent,
    @Nullable String proxy) {

  /** No credentials. */
  public static final FeedCredentials NONE = new FeedCredentials(null, Map.of(), null, null);

  public FeedCredentials {
    headers =
        headers == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
  }

  /** A scheme of RFC 9110 §11. */
  public enum Scheme {
    BASIC,
    BEARER
  }

  /**
   * The value of {@code Authorization}, in its parts.
   *
   * @param username of Basic; absent for Bearer
   * @param secret the password or the token
   */
  public record Auth(Scheme scheme, @Nullable String username, String secret) {

    private String value() {
      return switch (scheme) {
        case BASIC ->
            "Basic "
                + Base64.getEncoder()
                    .encodeToString((username + ":" + secret).getBytes(StandardCharsets.UTF_8));
        case BEARER -> "Bearer " + secret;
      };
    }

    /** Without the secret. */
    @Override
    public String toString() {
      return "Auth[" + scheme + "]";
    }
  }

  /** Whether nothing is set. */
  @JsonIgnore
  public boolean isEmpty() {
    return auth == null && headers.isEmpty() && userAgent == null && proxy == null;
  }

  /** The fields of a request, by their names. */
  public Map<String, String> fields() {
    Map<String, String> fields = new LinkedHashMap<>();
    if (userAgent != null) {
      fields.put("User-Agent", userAgent);
    }
    if (auth != null) {
      fields.put("Authorization", auth.value());
    }
    fields.putAll(headers);
    return fields;
  }

  /** Without any value. */
  @Override
  public String toString() {
    return "FeedCredentials[" + fields().keySet() + "]";
  }
}
