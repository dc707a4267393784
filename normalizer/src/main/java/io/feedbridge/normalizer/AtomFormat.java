package io.feedbridge.normalizer;

import com.rometools.rome.feed.atom.Category;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** Atom 1.0 and 0.3: a feed, or an entry or the tombstone of an entry alone. */
final class AtomFormat implements FeedFormat {
  @Override
  public boolean reads(Element root) {
    return Removals.isTombstone(root)
        || root.getName().equals("feed")
        || (root.getName().equals("entry") && Vocabulary.of(root).isAtom());
  }

  @Override
  public Feed read(Element root, Context context) throws FeedParseException {
    if (Removals.isTombstone(root)) {
      return bare(List.of(), context).withRemovals(Removals.of(List.of(root)));
    }
    if (!Vocabulary.of(root).isAtom()) {
      // A feed element in an odd namespace, or in none, is read as the Atom it says it is
      Vocabulary.ATOM.adopt(root);
    }
    boolean alone = root.getName().equals("entry");
    List<Element> entries = alone ? List.of(root) : context.bounded(entries(root, context));
    URI base = context.base();
    com.rometools.rome.feed.atom.Feed rome =
        RomeFeeds.atom(alone ? new Element("feed") : root, entries);
    LinkList links = new LinkList(base);
    if (!alone) {
      feedLinks(root, links);
    }
    String language = alone ? null : language(root);
    language = language == null ? context.served().language() : language;
    List<Entry> read = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      read.add(entry(entries.get(i), rome.getEntries().get(i), language, base));
    }
    Hints hints = SyndicationHints.of(root, links.links());
    if (alone) {
      return bare(read, context).withHints(List.of(), hints);
    }
    Feed feed =
        new Feed(
            feedId(rome.getId(), hints, context.address()),
            title(root),
            subtitle(root),
            updated(root),
            language,
            links.links(),
            authors(root, base),
            read,
            hints,
            context.repairs(),
            categories(rome.getCategories(), root));
    return feed.extended(
            ExtensionReader.contributors(root, base), ExtensionReader.of(root, base, feed))
        .withRemovals(Removals.of(root.getChildren()));
  }

  private static Feed bare(List<Entry> entries, Context context) {
    return Feed.bare(context.address(), null).withEntries(entries).withRepairs(context.repairs());
  }

  /** The entries, and the entries inside an entry whose end tag is missing. */
  private static List<Element> entries(Element root, Context context) {
    List<Element> entries = Atom.children(root, "entry");
    List<Element> all = new ArrayList<>(entries.size());
    entries.forEach(entry -> flatten(entry, all));
    if (all.size() > entries.size()) {
      context.repairs().add("Entries inside entries were read as entries of the feed.");
    }
    return all;
  }

  private static void flatten(Element entry, List<Element> into) {
    into.add(entry);
    Atom.children(entry, "entry").forEach(inner -> flatten(inner, into));
  }

  /** {@code atom:source}: it has the elements of a feed, without the entries (RFC 4287 §4.2.11). */
  static Source source(Element source, URI base) {
    LinkList links = new LinkList(base);
    feedLinks(source, links);
    return new Source(
        Atom.text(source, "id"),
        title(source),
        subtitle(source),
        updated(source),
        // Its own alone: the language around it is that of the feed it was copied into
        Languages.own(source),
        links.links(),
        authors(source, base),
        null,
        Extensions.atomCategories(source));
  }

  private static Entry entry(
      Element entry,
      com.rometools.rome.feed.atom.Entry rome,
      @Nullable String feedLanguage,
      URI base) {
    String said = rome.getId() == null ? "" : rome.getId().trim();
    String written = AtomIds.absolute(said, Atom.child(entry, "id"));
    String id = AtomIds.source(written, entry);
    Instant published = Atom.date(entry, "published", "issued", "created");
    Instant updated = Atom.date(entry, "updated", "modified");
    Element content = Atom.child(entry, "content");
    Element source = Atom.child(entry, "source");
    Entry read =
        new Entry(
            id,
            id.isEmpty(),
            title(entry),
            published == null ? Extensions.published(entry) : published,
            updated == null ? Extensions.updated(entry) : updated,
            content == null ? Extensions.body(entry, base) : Atom.content(content, base),
            summary(entry, base),
            entryLinks(entry, base),
            categories(rome.getCategories(), entry),
            authors(entry, base),
            Extensions.geo(entry),
            Activity.verbs(entry),
            Activity.objects(entry, base),
            Languages.of(entry, feedLanguage),
            source == null ? null : source(source, base));
    return read.extended(
        ExtensionReader.contributors(entry, base),
        Activity.targets(entry, base),
        extensions(entry, base, read, written));
  }

  /** RSS' description is the summary of an entry that has no other text. */
  private static @Nullable Content summary(Element entry, URI base) {
    Content summary = Extensions.summary(entry, base);
    if (summary != null || Atom.child(entry, "content") != null) {
      return summary;
    }
    Element description = Atom.child(entry, "description");
    description = description == null ? Vocabulary.RSS.child(entry, "description") : description;
    description = description == null ? Vocabulary.DC.child(entry, "description") : description;
    return description == null || Vocabulary.textOf(description) == null
        ? null
        : Content.html(Markup.textOrMarkup(description)).at(Urls.base(description, base));
  }

  /** An identifier that has become the id again is no extension beside it. */
  private static List<Extension> extensions(Element entry, URI base, Entry read, String writtenId) {
    List<Extension> extensions = ExtensionReader.of(entry, base, read);
    if (read.id().equals(writtenId)) {
      return extensions;
    }
    Extension identifier = Extension.text("dc:identifier", read.id());
    return extensions.stream().filter(one -> !one.equals(identifier)).toList();
  }

  private static String feedId(@Nullable String id, Hints hints, String address) {
    if (id != null && !id.isBlank()) {
      return id.trim();
    }
    return hints.self() == null ? address : hints.self();
  }

  private static @Nullable String language(Element feed) {
    String declared = Languages.declared(feed);
    return declared == null ? Languages.tag(Vocabulary.DC.text(feed, "language")) : declared;
  }

  private static @Nullable String title(Element element) {
    String title = Atom.plain(element, "title");
    title = title == null ? Vocabulary.DC.text(element, "title") : title;
    return title == null ? Extensions.title(element) : title;
  }

  private static @Nullable String subtitle(Element element) {
    String subtitle = Atom.plain(element, "subtitle");
    subtitle = subtitle == null ? Atom.plain(element, "tagline") : subtitle;
    subtitle = subtitle == null ? Vocabulary.ITUNES.text(element, "summary") : subtitle;
    return subtitle == null ? Vocabulary.ITUNES.text(element, "subtitle") : subtitle;
  }

  private static @Nullable Instant updated(Element element) {
    Instant updated = Atom.date(element, "updated", "modified");
    updated = updated == null ? Extensions.updated(element) : updated;
    return updated == null ? Extensions.published(element) : updated;
  }

  private static void feedLinks(Element feed, LinkList links) {
    Atom.children(feed, "link").forEach(links::addAtom);
    for (String name : List.of("logo", "icon")) {
      for (Element image : Atom.children(feed, name)) {
        links.add(image, Link.PICTURE, Vocabulary.textOf(image), null);
      }
    }
    Extensions.links(feed, links);
  }

  private static List<Link> entryLinks(Element entry, URI base) {
    LinkList links = new LinkList(base);
    Atom.children(entry, "link").forEach(links::addAtom);
    Extensions.links(entry, links);
    return links.links();
  }

  private static List<Author> authors(Element element, URI base) {
    List<Author> authors = People.atom(element, "author", base);
    return Activity.withActor(
        authors.isEmpty() ? Extensions.authors(element, base) : authors, element, base);
  }

  private static List<String> categories(List<Category> rome, Element element) {
    Set<String> categories = new LinkedHashSet<>();
    for (Category category : rome) {
      Extensions.addTo(
          categories, category.getTerm() == null ? category.getLabel() : category.getTerm());
    }
    Extensions.categories(element, categories);
    return new ArrayList<>(categories);
  }
}
