package io.feedbridge.gateway.store.subscriptions;

import io.feedbridge.gateway.store.GatewayPath;
import io.feedbridge.websub.DocumentWishes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The terms that subscriber and gateway agreed on; a renewal replaces them as a whole (rules H6,
 * L7).
 *
 * @param namedTopic the topic exactly as the subscriber named it, which messages to it repeat
 * @param secret the key of the signatures, absent where deliveries are not signed
 * @param signatureMethod by its name on the wire, such as {@code sha256}
 * @param updates whether changed entries are wanted beside new ones
 * @param legacy whether the request was one of PuSH 0.3
 * @param lease how long it lasts once confirmed
 * @param procedure the method that an rssCloud notification calls at the callback; absent where a
 *     form or a document is posted
 * @param path the gateways that get the feed through this subscription; null where the subscriber
 *     names none
 * @param wishes for its documents; null where it has none
 */
public record Terms(
    String namedTopic,
    Format format,
    @Nullable String secret,
    String signatureMethod,
    boolean updates,
    boolean legacy,
    Duration lease,
    @Nullable Procedure procedure,
    @Nullable GatewayPath path,
    @Nullable DocumentWishes wishes) {

  /** Terms of a subscriber that is no gateway. */
  public Terms(
      String namedTopic,
      Format format,
      @Nullable String secret,
      String signatureMethod,
      boolean updates,
      boolean legacy,
      Duration lease,
      @Nullable Procedure procedure) {
    this(
        namedTopic, format, secret, signatureMethod, updates, legacy, lease, procedure, null, null);
  }

  /** Terms that differ from these in the gateways behind the subscriber; null for none. */
  public Terms on(@Nullable GatewayPath gateways) {
    return with(secret, gateways, wishes);
  }

  /** Terms that differ from these in the wishes alone. */
  public Terms wishing(DocumentWishes other) {
    return with(secret, path, other.equals(DocumentWishes.NONE) ? null : other);
  }

  /** The wishes for its documents. */
  public DocumentWishes wished() {
    return wishes == null ? DocumentWishes.NONE : wishes;
  }

  /** Terms of a subscriber that receives a form or a document. */
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

  /** Terms that differ from these in the secret alone. */
  public Terms withSecret(@Nullable String other) {
    return with(other, path, wishes);
  }

  private Terms with(
      @Nullable String otherSecret,
      @Nullable GatewayPath otherPath,
      @Nullable DocumentWishes otherWishes) {
    return new Terms(
        namedTopic,
        format,
        otherSecret,
        signatureMethod,
        updates,
        legacy,
        lease,
        procedure,
        otherPath,
        otherWishes);
  }

  /**
   * A procedure at a callback.
   *
   * @param protocol by its name on the wire: {@code xml-rpc} or {@code soap}
   * @param namespace in which the callback took the call when it was tested; null where it has none
   */
  public record Procedure(String protocol, String name, @Nullable String namespace) {}

  @Override
  public String toString() {
    return "Terms[%s, %s, updates=%s, lease=%s]"
        .formatted(format, secret == null ? "unsigned" : signatureMethod, updates, lease);
  }
}
