package io.feedbridge.normalizer;

import com.rometools.rome.feed.rss.Category;
import com.rometools.rome.feed.rss.Channel;
import com.rometools.rome.feed.rss.Guid;
import com.rometools.rome.feed.rss.Item;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jdom2.Attribute;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** The channel and items that all RSS versions share, wherever the version keeps them. */
final class RssReader {
  private final Element channel;
  private final FeedFormat.Context context;
  private final URI base;
  private final List<String> repairs;

  RssReader(Element channel, FeedFormat.Context context) {
    this.channel = channel;
    this.context = context;
    this.base = context.base();
    this.repairs = context.repairs();
  }

  Feed read(List<Element> items) throws FeedParseException {
    Channel rome = RomeFeeds.rss(channel, items);
    List<Link> links = channelLinks(rome);
    Hints hints = SyndicationHints.of(channel, links);
    String language = language(rome);
    List<Entry> entries = new ArrayList<>(items.size());
    NestedItems nested = new NestedItems();
    for (int i = 0; i < items.size(); i++) {
      Element item = items.get(i);
      entries.add(nested.linked(item, entry(item, rome.getItems().get(i), language)));
    }
    Set<String> categories = new LinkedHashSet<>();
    categories(rome.getCategories(), categories);
    Extensions.categories(channel, categories);
    String id = Atom.text(channel, "id");
    id = id == null ? hints.self() : id;
    Feed feed =
        new Feed(
            id == null ? context.address() : id,
            title(channel, rome.getTitle()),
            subtitle(rome),
            updated(),
            language,
            links,
            channelAuthors(rome),
            entries,
            hints,
            repairs,
            new ArrayList<>(categories));
    return feed.extended(
        ExtensionReader.contributors(channel, base), ExtensionReader.of(channel, base, feed));
  }

  private Entry entry(Element item, Item rome, @Nullable String language) {
    Set<String> categories = new LinkedHashSet<>();
    categories(rome.getCategories(), categories);
    Extensions.categories(item, categories);
    Vocabulary.RSS
        .children(item, "tags")
        .forEach(tags -> Extensions.listed(tags.getValue(), categories));
    Instant published = Dates.parse(Vocabulary.RSS.text(item, "pubDate"));
    String id = id(item, rome);
    Entry read =
        new Entry(
            id,
            id.isEmpty(),
            title(item, rome.getTitle()),
            published == null ? Extensions.published(item) : published,
            Extensions.updated(item),
            content(item, rome),
            summary(item, rome),
            itemLinks(item, rome),
            new ArrayList<>(categories),
            itemAuthors(item, rome),
            Extensions.geo(item),
            Activity.verbs(item),
            Activity.objects(item, base),
            Languages.of(item, language),
            source(item));
    return read.extended(
            ExtensionReader.contributors(item, base),
            Activity.targets(item, base),
            ExtensionReader.of(item, base, read))
        .withIdForm(idForm(item, rome));
  }

  private static @Nullable IdForm idForm(Element item, Item rome) {
    Guid guid = rome.getGuid();
    if (guid != null && Present.text(guid.getValue()) != null) {
      return guid.isPermaLink() ? IdForm.PERMALINK : IdForm.GUID;
    }
    return Atom.text(item, "id") == null ? null : IdForm.ATOM_ID;
  }

  private static String id(Element item, Item rome) {
    Guid guid = rome.getGuid();
    String id = guid == null || guid.getValue() == null ? "" : guid.getValue().trim();
    String atom = id.isEmpty() ? Atom.text(item, "id") : id;
    if (atom != null) {
      return atom;
    }
    for (Attribute attribute : item.getAttributes()) {
      if (attribute.getName().equals("about")) {
        return attribute.getValue().trim();
      }
    }
    return "";
  }

  private static @Nullable String title(Element element, @Nullable String core) {
    String title = Present.text(core);
    title = title == null ? Vocabulary.DC.text(element, "title") : title.trim();
    title = title == null ? null : Present.text(HtmlText.title(title).trim());
    title = title == null ? Atom.plain(element, "title") : title;
    return title == null ? Extensions.title(element) : title;
  }

  private @Nullable String subtitle(Channel rome) {
    String subtitle = Present.text(rome.getDescription());
    subtitle = subtitle == null ? Atom.plain(channel, "subtitle") : subtitle.trim();
    subtitle = subtitle == null ? Vocabulary.DC.text(channel, "description") : subtitle;
    subtitle = subtitle == null ? Vocabulary.ITUNES.text(channel, "summary") : subtitle;
    return subtitle == null ? Vocabulary.ITUNES.text(channel, "subtitle") : subtitle;
  }

  private @Nullable Instant updated() {
    for (String name : List.of("lastBuildDate", "pubDate")) {
      Instant date = Dates.parse(Vocabulary.RSS.text(channel, name));
      if (date != null) {
        return date;
      }
    }
    Instant updated = Extensions.updated(channel);
    return updated == null ? Extensions.published(channel) : updated;
  }

  private @Nullable String language(Channel rome) {
    String declared = Languages.declared(channel);
    declared = declared == null ? Languages.tag(rome.getLanguage()) : declared;
    if (declared != null) {
      return declared;
    }
    String dublin = Languages.tag(Vocabulary.DC.text(channel, "language"));
    return dublin == null ? context.served().language() : dublin;
  }

  private @Nullable Content content(Element item, Item rome) {
    if (rome.getContent() != null && Present.text(rome.getContent().getValue()) != null) {
      return html(item, Vocabulary.CONTENT, "encoded", rome.getContent().getValue());
    }
    Content body = Extensions.body(item, base);
    Element atom = Atom.child(item, "content");
    if (body != null || atom != null) {
      return atom == null || body != null ? body : Atom.content(atom, base);
    }
    // In no module, and in use all the same
    String full = Vocabulary.RSS.text(item, "fullitem");
    return full == null ? null : html(item, Vocabulary.RSS, "fullitem", full);
  }

  private @Nullable Content summary(Element item, Item rome) {
    String description = description(rome);
    if (description != null) {
      return html(item, Vocabulary.RSS, "description", description);
    }
    description = Vocabulary.DC.text(item, "description");
    if (description != null) {
      return html(item, Vocabulary.DC, "description", description);
    }
    Content other = Extensions.summary(item, base);
    String plain = other == null ? Vocabulary.RSS.text(item, "summary") : null;
    return plain == null ? other : html(item, Vocabulary.RSS, "summary", plain);
  }

  private static @Nullable String description(Item rome) {
    return rome.getDescription() == null ? null : Present.text(rome.getDescription().getValue());
  }

  /** Markup that stands in the element of this name, from which it has its base. */
  private Content html(Element item, Vocabulary vocabulary, String name, String markup) {
    Element holder = vocabulary.child(item, name);
    return Content.html(markup).at(Urls.base(holder == null ? item : holder, base));
  }

  private List<Link> channelLinks(Channel rome) {
    LinkList links = new LinkList(base);
    Element page = page();
    links.add(
        page == null ? channel : page,
        Link.ALTERNATE,
        page == null ? rome.getLink() : Vocabulary.textOf(page),
        "text/html");
    moreLinks(channel, links);
    Atom.children(channel, "link").forEach(links::addAtom);
    Element image = Vocabulary.RSS.child(channel, "image");
    if (image != null) {
      String title = Vocabulary.RSS.text(image, "title");
      links.add(image, Link.PICTURE, Vocabulary.RSS.text(image, "url"), null, title, null);
    }
    Extensions.links(channel, links);
    return links.links();
  }

  /** Of several texts of the channel's link the last one is its page, as other readers have it. */
  private @Nullable Element page() {
    Element page = null;
    for (Element link : Vocabulary.RSS.children(channel, "link")) {
      boolean text = Vocabulary.attribute(link, "href") == null;
      page = text && Vocabulary.textOf(link) != null ? link : page;
    }
    return page;
  }

  /**
   * RSS has one link. A link of Atom without its namespace is read as one of Atom. Pages after the
   * first one are related, since an entry of Atom has one page of a type (RFC 4287 §4.1.2).
   */
  private static void moreLinks(Element parent, LinkList links) {
    for (Element link : Vocabulary.RSS.children(parent, "link")) {
      String href = Vocabulary.attribute(link, "href");
      String page = href == null ? Vocabulary.textOf(link) : href;
      if (Vocabulary.attribute(link, "rel") != null && href != null) {
        links.addAtom(link);
      } else if (page != null && !links.has(Link.ALTERNATE)) {
        links.add(link, Link.ALTERNATE, page, "text/html");
      } else if (page != null && !links.hasAddress(link, Link.ALTERNATE, page)) {
        links.add(link, "related", page, "text/html");
      }
    }
  }

  /** The element that an address stands in, which may have a base of its own. */
  private static Element scope(Element parent, String name) {
    Element child = Vocabulary.RSS.child(parent, name);
    return child == null ? parent : child;
  }

  private List<Link> itemLinks(Element item, Item rome) {
    LinkList links = new LinkList(base);
    links.add(scope(item, "link"), Link.ALTERNATE, rome.getLink(), "text/html");
    moreLinks(item, links);
    Atom.children(item, "link").forEach(links::addAtom);
    Guid guid = rome.getGuid();
    if (!links.has(Link.ALTERNATE)
        && guid != null
        && guid.isPermaLink()
        && guid.getValue() != null
        && Urls.isHttp(guid.getValue().trim())) {
      links.add(item, Link.ALTERNATE, guid.getValue(), "text/html");
    }
    links.add(scope(item, "comments"), Link.REPLIES, rome.getComments(), "text/html");
    for (Element enclosure : Vocabulary.RSS.children(item, "enclosure")) {
      links.add(
          enclosure,
          Link.ENCLOSURE,
          Vocabulary.attribute(enclosure, "url"),
          Vocabulary.attribute(enclosure, "type"),
          null,
          Vocabulary.attribute(enclosure, "length"));
    }
    Extensions.links(item, links);
    Element image = Vocabulary.RSS.child(item, "image");
    if (image != null) {
      String url = Vocabulary.RSS.text(image, "url");
      links.add(image, Link.PICTURE, url == null ? Vocabulary.textOf(image) : url, null);
    }
    return links.links();
  }

  private List<Author> channelAuthors(Channel rome) {
    return Activity.withActor(namedByChannel(rome), channel, base);
  }

  private List<Author> namedByChannel(Channel rome) {
    List<Author> editors = People.list(rome.getManagingEditor());
    if (!editors.isEmpty()) {
      return editors;
    }
    List<Author> authors = Extensions.authors(channel, base);
    for (String name : List.of("author", "webMaster")) {
      authors = authors.isEmpty() ? People.lines(Vocabulary.RSS.children(channel, name)) : authors;
    }
    return authors;
  }

  private List<Author> itemAuthors(Element item, Item rome) {
    return Activity.withActor(namedByItem(item, rome), item, base);
  }

  private List<Author> namedByItem(Element item, Item rome) {
    List<Author> named = People.list(rome.getAuthor());
    if (named.stream().anyMatch(author -> author.email() != null)) {
      return named;
    }
    // RSS 2.0 wants a mail address there, so a name there counts less than Dublin Core's
    List<Author> others = Extensions.authors(item, base);
    boolean creators = !Vocabulary.DC.children(item, "creator").isEmpty();
    return named.isEmpty() || (creators && !others.isEmpty()) ? others : named;
  }

  private static void categories(List<Category> from, Set<String> into) {
    from.forEach(category -> Extensions.addTo(into, category.getValue()));
  }

  private @Nullable Source source(Element item) {
    Element atom = Atom.child(item, "source");
    if (atom != null) {
      return AtomFormat.source(atom, base);
    }
    Element source = Vocabulary.RSS.child(item, "source");
    if (source == null) {
      return null;
    }
    LinkList links = new LinkList(base);
    links.add(source, Link.SELF, Vocabulary.attribute(source, "url"), "application/rss+xml");
    String title = Vocabulary.textOf(source);
    String id = links.first(Link.SELF);
    return id == null && title == null
        ? null
        : new Source(id, title, null, null, null, links.links(), List.of(), null);
  }
}
