package io.feedbridge.gateway.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What subscriber and gateway agreed on; a renewal replaces it as a whole (rules H6, L7).
 *
 * @param namedTopic the topic exactly as the subscriber named it, which is how it is spoken to
 * @param secret the key of the signatures, absent where deliveries are not signed
 * @param signatureMethod by its name on the wire, such as {@code sha256}
 * @param updates whether changed entries are wanted beside new ones
 * @param legacy whether the request was one of PuSH 0.3
 * @param lease how long it lasts once confirmed
 * @param procedure what an rssCloud cloud calls at the callback; absent where a form or a document
 *     is posted
 */
public record Terms(
    String namedTopic,
    Format format,
    @Nullable String secret,
    String signatureMethod,
    boolean updates,
    boolean legacy,
    Duration lease,
    @Nullable Procedure procedure) {

  /** Terms of whoever is sent a form or a document. */
  public Terms(
      String namedTopic,
      Format format,
      @Nullable String secret,
      String signatureMethod,
      boolean updates,
      boolean legacy,
      Duration lease) {
    this(namedTopic, format, secret, signatureMethod, updates, legacy, lease, null);
  }

  /** The same terms with another secret. */
  public Terms withSecret(@Nullable String other) {
    return new Terms(namedTopic, format, other, signatureMethod, updates, legacy, lease, procedure);
  }

  /**
   * A procedure at a callback.
   *
   * @param protocol by its name on the wire: {@code xml-rpc} or {@code soap}
   */
  public record Procedure(String protocol, String name) {}

  @Override
  public String toString() {
    return "Terms[%s, %s, updates=%s, lease=%s]"
        .formatted(format, secret == null ? "unsigned" : signatureMethod, updates, lease);
  }
}
