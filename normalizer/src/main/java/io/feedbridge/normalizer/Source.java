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
    @Nullable Status status,
    List<String> categories) {

  public Source {
    id = Present.text(id);
    title = Present.text(title);
    subtitle = Present.text(subtitle);
    language = Present.text(language);
    links = Present.list(links);
    authors = Present.list(authors);
    categories = Present.list(categories);
  }

  /** A source without categories. */
  public Source(
      @Nullable String id,
      @Nullable String title,
      @Nullable String subtitle,
      @Nullable Instant updated,
      @Nullable String language,
      List<Link> links,
      List<Author> authors,
      @Nullable Status status) {
    this(id, title, subtitle, updated, language, links, authors, status, List.of());
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
        status,
        feed.categories());
  }
}
