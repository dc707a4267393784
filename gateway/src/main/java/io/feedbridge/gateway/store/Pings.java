package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The sites that pinged lately, for {@code changes.xml}; no delivery depends on them. */
public interface Pings {

  /** Sites of one hour that are kept; further ones are only counted. */
  int MAX_PER_HOUR = 5_000;

  /**
   * Records a ping. Of several by one site in the same clock hour the newest is kept.
   *
   * @param ping of which the site tells it apart
   */
  CompletableFuture<Void> record(SitePing ping);

  /** Those after one moment up to and including another, the newest first. */
  List<SitePing> between(Instant after, Instant upTo);

  /** All pings ever recorded, those that were not kept included. */
  long count();

  /**
   * Forgets pings that are older than that, at most so many.
   *
   * @return how many
   */
  CompletableFuture<Integer> trim(Instant before, int limit);
}
