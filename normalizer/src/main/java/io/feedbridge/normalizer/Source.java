package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The feed that an entry came from.
 *
 * @param status the gateway's record of that feed, where the entry stands in a stream over several
 */
public record Source(
    @Nullable String id,
    @Nullable String title,
    @Nullable String subtitle,
    @Nullable Instant updated,
    @Nullable String language,
    List<Link> links,
    List<Author> authors,
    @Nullable Status status) {

  public Source {
    id = Present.text(id);
    title = Present.text(title);
    subtitle = Present.text(subtitle);
    language = Present.text(language);
    links = Present.list(links);
    authors = Present.list(authors);
  }

  /** The source of an entry of {@code feed} in a document over several feeds. */
  public static Source of(Feed feed, @Nullable Status status) {
    return new Source(
        feed.id(),
        feed.title(),
        feed.subtitle(),
        feed.updated(),
        feed.language(),
        feed.links(),
        feed.authors(),
        status);
  }
}
