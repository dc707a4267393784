package io.feedbridge.gateway.store.feeds;

import java.time.Duration;
import java.time.Instant;

/**
 * The pace that a site permits, as learnt from its answers. Times are kept to the millisecond.
 *
 * @param site a registrable domain, or an authority that has none
 * @param pace between two requests to the site
 * @param refusedPace the pace at which the site last refused a request; zero if it refused none
 * @param refusedAt when it did; {@link Instant#EPOCH} if it refused none
 * @param restUntil before which the site is sent no request
 * @param learntAt when this was learnt
 */
public record SitePace(
    String site,
    Duration pace,
    Duration refusedPace,
    Instant refusedAt,
    Instant restUntil,
    Instant learntAt) {}
