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

  /** Bytes of text of the pings that one list holds. */
  int MAX_LISTED_BYTES = 2 << 20;

  /**
   * The pings after one moment up to and including another, the newest first: as many of the newest
   * as {@link #MAX_LISTED_BYTES} characters hold.
   */
  List<SitePing> between(Instant after, Instant upTo);

  /** The number of all pings ever recorded, including pings that were not kept. */
  long count();

  /**
   * Forgets pings that are older than a time, at most a limit of them.
   *
   * @return how many
   */
  CompletableFuture<Integer> trim(Instant before, int limit);
}
