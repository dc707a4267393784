package io.feedbridge.gateway.ingest.digest;

import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.work.Position;
import io.feedbridge.gateway.work.Via;
import java.time.Instant;

/**
 * The reason and the state of one fetch.
 *
 * @param feed as it is now
 * @param polled whether the poll timer asked for the fetch, alone or beside pings
 * @param readers the number of the feed's subscribers, as the origin was told
 */
public record Look(
    Position position, FollowedFeed feed, Via via, boolean polled, long readers, Instant now) {}
