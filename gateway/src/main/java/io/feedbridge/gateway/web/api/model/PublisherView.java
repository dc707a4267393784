package io.feedbridge.gateway.web.api.model;

import io.feedbridge.gateway.store.feeds.Publisher;
import java.time.Instant;

/** A publisher as the API lists it: its secret is not shown again. */
public record PublisherView(String id, String topic, Instant createdAt) {

  /** A stored publisher. */
  public static PublisherView of(Publisher publisher) {
    return new PublisherView(
        Long.toString(publisher.id()), publisher.topic(), publisher.createdAt());
  }

  /** The answer to a new publisher: the only time that the secret is shown. */
  public record Created(String id, String topic, String secret, Instant createdAt) {}
}
