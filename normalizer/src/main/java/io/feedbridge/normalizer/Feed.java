package io.feedbridge.normalizer;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A feed of whatever format, as values.
 *
 * @param id the document's own, else its self link, else the URL it was parsed for
 * @param entries in document order
 * @param hints the document's statements about when to fetch and how to follow it
 * @param contributors as RFC 4287 and Dublin Core have them
 * @param extensions elements that no field holds
 * @param repairs the repairs that the document needed before it could be read, a sentence each
 * @param removals entries that the document says were removed
 */
public record Feed(
    @Nullable String id,
    @Nullable String title,
    @Nullable String subtitle,
    @Nullable Instant updated,
    @Nullable String language,
    List<Link> links,
    List<Author> authors,
    List<Entry> entries,
    Hints hints,
    List<String> repairs,
    List<String> categories,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Author> contributors,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Extension> extensions,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Removal> removals) {

  public Feed {
    id = Present.text(id);
    title = Present.text(title);
    subtitle = Present.text(subtitle);
    language = Present.text(language);
    links = Present.list(links);
    authors = Present.list(authors);
    entries = Present.list(entries);
    hints = hints == null ? Hints.NONE : hints;
    repairs = Present.list(repairs);
    categories = Present.list(categories);
    contributors = Present.list(contributors);
    extensions = Present.list(extensions);
    removals = Present.list(removals);
  }

  /** A feed without extensions. */
  public Feed(
      @Nullable String id,
      @Nullable String title,
      @Nullable String subtitle,
      @Nullable Instant updated,
      @Nullable String language,
      List<Link> links,
      List<Author> authors,
      List<Entry> entries,
      Hints hints,
      List<String> repairs,
      List<String> categories) {
    this(
        id,
        title,
        subtitle,
        updated,
        language,
        links,
        authors,
        entries,
        hints,
        repairs,
        categories,
        List.of(),
        List.of(),
        List.of());
  }

  /** A feed without categories of its own. */
  public Feed(
      @Nullable String id,
      @Nullable String title,
      @Nullable String subtitle,
      @Nullable Instant updated,
      @Nullable String language,
      List<Link> links,
      List<Author> authors,
      List<Entry> entries,
      Hints hints,
      List<String> repairs) {
    this(
        id, title, subtitle, updated, language, links, authors, entries, hints, repairs, List.of());
  }

  /** A feed of which no document is at hand, for a notification that carries its status alone. */
  public static Feed bare(String id, @Nullable String title) {
    return new Feed(
        id, title, null, null, null, List.of(), List.of(), List.of(), Hints.NONE, List.of());
  }

  /** The same feed with other entries. */
  public Feed withEntries(List<Entry> others) {
    return with(links, others, hints, contributors, extensions, repairs);
  }

  /** The same feed with other repairs. */
  public Feed withRepairs(List<String> others) {
    return with(links, entries, hints, contributors, extensions, others);
  }

  /** The same feed, followed another way. */
  Feed withHints(List<Link> newLinks, Hints newHints) {
    return with(newLinks, entries, newHints, contributors, extensions, repairs);
  }

  /** The same feed with all that extends it. */
  Feed extended(List<Author> newContributors, List<Extension> found) {
    return with(links, entries, hints, newContributors, found, repairs);
  }

  /** The same feed with other removals. */
  public Feed withRemovals(List<Removal> others) {
    return new Feed(
        id,
        title,
        subtitle,
        updated,
        language,
        links,
        authors,
        entries,
        hints,
        repairs,
        categories,
        contributors,
        extensions,
        others);
  }

  private Feed with(
      List<Link> newLinks,
      List<Entry> newEntries,
      Hints newHints,
      List<Author> newContributors,
      List<Extension> newExtensions,
      List<String> newRepairs) {
    return new Feed(
        id,
        title,
        subtitle,
        updated,
        language,
        newLinks,
        authors,
        newEntries,
        newHints,
        newRepairs,
        categories,
        newContributors,
        newExtensions,
        removals);
  }

  /** Whether an entry has a generated id, which the status says as {@code generated_ids}. */
  public boolean anyGeneratedId() {
    return entries.stream().anyMatch(Entry::generatedId);
  }

  /** The address of the site the feed belongs to; null where it names none. */
  public @Nullable String permalink() {
    return Link.permalink(links);
  }
}
