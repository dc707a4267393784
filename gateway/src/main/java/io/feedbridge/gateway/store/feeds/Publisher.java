package io.feedbridge.gateway.store.feeds;

import java.time.Instant;

/**
 * A publisher whose signed content is accepted as the content of a topic without a fetch (rule
 * H17).
 *
 * @param topic normalised
 * @param secret the key of the signatures
 */
public record Publisher(long id, String topic, String secret, Instant createdAt) {

  @Override
  public String toString() {
    return "Publisher[%d, %s]".formatted(id, topic);
  }
}
