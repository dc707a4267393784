package io.feedbridge.websub.discovery;

import java.net.URI;

/**
 * A feed that a page names as another form of itself.
 *
 * @param type one of {@code application/rss+xml}, {@code application/atom+xml} and {@code
 *     application/feed+json}
 * @param title empty if there is none; of bounded length
 */
public record FeedAlternate(URI url, String type, String title) {}
