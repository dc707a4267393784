package io.feedbridge.normalizer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a feed.
 *
 * @param id the document's own, or a generated one that is the same at every fetch
 * @param generatedId whether the document gave no id
 * @param verbs ActivityStreams verbs as the document gives them, the most specific last
 * @param language its own, else the feed's
 */
public record Entry(
    String id,
    boolean generatedId,
    @Nullable String title,
    @Nullable Instant published,
    @Nullable Instant updated,
    @Nullable Content content,
    @Nullable Content summary,
    List<Link> links,
    List<String> categories,
    List<Author> authors,
    @Nullable GeoPoint geo,
    List<String> verbs,
    List<ActivityObject> objects,
    @Nullable String language,
    @Nullable Source source) {

  public Entry {
    id = id == null ? "" : id;
    title = Present.text(title);
    links = Present.list(links);
    categories = Present.list(categories);
    authors = Present.list(authors);
    verbs = Present.list(verbs);
    objects = Present.list(objects);
    language = Present.text(language);
  }

  /** The address of the page the entry stands for; null where it has none. */
  public @Nullable String permalink() {
    return Link.permalink(links);
  }

  /** The same entry with one more link. */
  Entry withLink(Link link) {
    List<Link> more = new ArrayList<>(links);
    more.add(link);
    return with(id, generatedId, more, language, source);
  }

  Entry withGeneratedId(String generated) {
    return with(generated, true, links, language, source);
  }

  /** This entry as a part of a document over several feeds. */
  public Entry withSource(@Nullable Source from) {
    return with(id, generatedId, links, language, from);
  }

  /** This entry with a time of its last change, where it has no time at all. */
  public Entry datedIfNot(Instant time) {
    return published != null || updated != null
        ? this
        : new Entry(
            id,
            generatedId,
            title,
            null,
            time,
            content,
            summary,
            links,
            categories,
            authors,
            geo,
            verbs,
            objects,
            language,
            source);
  }

  /** This entry in another language. */
  Entry withLanguage(@Nullable String tag) {
    return with(id, generatedId, links, tag, source);
  }

  private Entry with(
      String newId,
      boolean newGeneratedId,
      List<Link> newLinks,
      @Nullable String newLanguage,
      @Nullable Source newSource) {
    return new Entry(
        newId,
        newGeneratedId,
        title,
        published,
        updated,
        content,
        summary,
        newLinks,
        categories,
        authors,
        geo,
        verbs,
        objects,
        newLanguage,
        newSource);
  }
}
