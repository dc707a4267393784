package io.feedbridge.normalizer;

import com.fasterxml.jackson.annotation.JsonInclude;
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
 * @param idForm the form of the id in an RSS item; null for an id in another form, and for a
 *     generated one
 * @param contributors as RFC 4287 and Dublin Core have them
 * @param targets the targets of the activity, beside its objects
 * @param extensions elements that no other field holds
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
    @Nullable Source source,
    @Nullable IdForm idForm,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Author> contributors,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<ActivityObject> targets,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Extension> extensions) {

  public Entry {
    id = id == null ? "" : id;
    title = Present.text(title);
    links = Present.list(links);
    categories = Present.list(categories);
    authors = Present.list(authors);
    verbs = Present.list(verbs);
    objects = Present.list(objects);
    language = Present.text(language);
    contributors = Present.list(contributors);
    targets = Present.list(targets);
    extensions = Present.list(extensions);
  }

  /** An entry without extensions, whose id stands in no element of RSS. */
  public Entry(
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
    this(
        id,
        generatedId,
        title,
        published,
        updated,
        content,
        summary,
        links,
        categories,
        authors,
        geo,
        verbs,
        objects,
        language,
        source,
        null,
        List.of(),
        List.of(),
        List.of());
  }

  /** This entry with all that extends it. */
  Entry extended(
      List<Author> newContributors, List<ActivityObject> newTargets, List<Extension> found) {
    if (newContributors.isEmpty() && newTargets.isEmpty() && found.isEmpty()) {
      return this;
    }
    Copy copy = new Copy();
    copy.contributors = newContributors;
    copy.targets = newTargets;
    copy.extensions = found;
    return copy.entry();
  }

  /**
   * The entry's authors: its own, else its source's, else the feed's (RFC 4287 §4.2.1).
   *
   * @param ofFeed the authors of the feed that the entry stands in
   */
  public List<Author> authorsWithin(List<Author> ofFeed) {
    if (!authors.isEmpty()) {
      return authors;
    }
    return source == null || source.authors().isEmpty() ? ofFeed : source.authors();
  }

  /** The address of the page the entry stands for; null where it has none. */
  public @Nullable String permalink() {
    return Link.permalink(links);
  }

  /** This entry with one more link. */
  Entry withLink(Link link) {
    Copy copy = new Copy();
    copy.links = new ArrayList<>(links);
    copy.links.add(link);
    return copy.entry();
  }

  /** This entry with an id that was generated for it. */
  Entry withGeneratedId(String generated) {
    Copy copy = new Copy();
    copy.id = generated;
    copy.generatedId = true;
    return copy.entry();
  }

  /** This entry with no id at all where its document gave none. */
  Entry withoutGeneratedId() {
    return generatedId ? withGeneratedId("") : this;
  }

  /** This entry with the form that its id has in RSS. */
  Entry withIdForm(@Nullable IdForm form) {
    Copy copy = new Copy();
    copy.idForm = form;
    return copy.entry();
  }

  /** This entry as a part of a document over several feeds. */
  public Entry withSource(@Nullable Source from) {
    Copy copy = new Copy();
    copy.source = from;
    return copy.entry();
  }

  /** This entry with a time of its last change, where it has no time at all. */
  public Entry datedIfNot(Instant time) {
    if (published != null || updated != null) {
      return this;
    }
    Copy copy = new Copy();
    copy.updated = time;
    return copy.entry();
  }

  /** This entry in another language. */
  Entry withLanguage(@Nullable String tag) {
    Copy copy = new Copy();
    copy.language = tag;
    return copy.entry();
  }

  /** A copy of this entry before it is made; its fields are the components that change. */
  private final class Copy {
    private String id = Entry.this.id;
    private boolean generatedId = Entry.this.generatedId;
    private @Nullable Instant updated = Entry.this.updated;
    private List<Link> links = Entry.this.links;
    private @Nullable String language = Entry.this.language;
    private @Nullable Source source = Entry.this.source;
    private @Nullable IdForm idForm = Entry.this.idForm;
    private List<Author> contributors = Entry.this.contributors;
    private List<ActivityObject> targets = Entry.this.targets;
    private List<Extension> extensions = Entry.this.extensions;

    Entry entry() {
      return new Entry(
          id,
          generatedId,
          title,
          published,
          updated,
          content,
          summary,
          links,
          categories,
          authors,
          geo,
          verbs,
          objects,
          language,
          source,
          idForm,
          contributors,
          targets,
          extensions);
    }
  }
}
