package io.feedbridge.gateway.web.api.fields;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.client.address.WebAddress;
import io.feedbridge.gateway.store.feeds.NamedHub;
import io.feedbridge.gateway.web.common.BadFieldException;
import org.jspecify.annotations.Nullable;

/**
 * The hub that a request names for a feed: each field is absent where it stays as it is, and null
 * in JSON where it is taken back.
 *
 * @param topic the URL by which the hub knows the feed
 */
public record HubFields(@Nullable JsonNode hub, @Nullable JsonNode topic) {

  private static final int MAX_LENGTH = 2_000;

  /** Whether one is given. */
  public boolean isAny() {
    return hub != null || topic != null;
  }

  /**
   * Reads the fields each by itself.
   *
   * @throws BadFieldException if a field is wrong
   */
  public void check() {
    if (hub != null) {
      var unused = url("hub", hub);
    }
    if (topic != null) {
      var unused = url("topic", topic);
    }
  }

  /**
   * Reads the fields together.
   *
   * @throws BadFieldException if a field is wrong, or a topic would be left without a hub
   */
  public void check(@Nullable NamedHub before) {
    if (topic != null && !topic.isNull() && appliedTo(before) == null) {
      throw new BadFieldException("topic", "it is the feed's URL at a hub: name the hub as well");
    }
  }

  /** The hub with these changes, which were {@link #check checked}; null for none. */
  public @Nullable NamedHub appliedTo(@Nullable NamedHub before) {
    String named = hub == null ? (before == null ? null : before.hub()) : url("hub", hub);
    String known = topic == null ? (before == null ? null : before.topic()) : url("topic", topic);
    return named == null ? null : new NamedHub(named, known);
  }

  private static @Nullable String url(String field, JsonNode given) {
    if (given.isNull()) {
      return null;
    }
    String text = given.asText();
    if (!given.isTextual() || text.length() > MAX_LENGTH || WebAddress.of(text).isEmpty()) {
      throw new BadFieldException(
          field, "it must be an http or https URL of at most %,d characters".formatted(MAX_LENGTH));
    }
    return text;
  }
}
