package io.feedbridge.normalizer;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The schema's {@code status}: the gateway's record of a feed. A document leaves out null values.
 *
 * @param feed URL of the feed
 * @param code last HTTP status
 * @param http one sentence about the last fetch
 * @param nextFetch the feed is fetched at the latest then
 * @param period polling period in seconds
 * @param velocity updates in a maintenance cycle
 * @param popularity from 0, the greater the more popular
 * @param bozoRank 0 to 1, the greater the less to be trusted
 * @param generatedIds whether entries' ids were generated; only true is written
 */
public record Status(
    String feed,
    @Nullable String title,
    @Nullable Integer code,
    @Nullable String http,
    @Nullable Instant nextFetch,
    @Nullable Long period,
    @Nullable Instant lastFetch,
    @Nullable Instant lastParse,
    @Nullable Instant lastMaintenanceAt,
    @Nullable Long entriesCountSinceLastMaintenance,
    @Nullable Long velocity,
    @Nullable Double popularity,
    @Nullable Double bozoRank,
    @Nullable Boolean generatedIds) {

  public Status {
    feed = feed == null ? "" : feed;
    title = Present.text(title);
    http = Present.text(http);
  }

  /** A status of which only the feed's URL is known. */
  public static Status of(String feed) {
    return new Status(
        feed, null, null, null, null, null, null, null, null, null, null, null, null, null);
  }
}
