package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The object of an activity in ActivityStreams.
 *
 * @param objectTypes as the document gives them, the most specific last
 */
public record ActivityObject(
    List<String> objectTypes,
    @Nullable String id,
    @Nullable String title,
    @Nullable Instant published,
    @Nullable Instant updated,
    @Nullable Content content,
    List<Author> authors,
    List<String> categories,
    List<Link> links) {

  public ActivityObject {
    objectTypes = Present.list(objectTypes);
    id = Present.text(id);
    title = Present.text(title);
    authors = Present.list(authors);
    categories = Present.list(categories);
    links = Present.list(links);
  }
}
