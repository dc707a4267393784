package io.feedbridge.normalizer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** JSON Feed 1.0 and 1.1. */
final class JsonFeedFormat {
  private static final String VERSION = "://jsonfeed.org/version/1";

  /** JSON has no {@code xml:base}: every link stands in a scope without one. */
  private static final Element NO_SCOPE = new Element("feed");

  private final JsonMapper mapper =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(Limits.MAX_DEPTH).build())
                  .build())
          .build();

  Feed read(String text, FeedFormat.Context context) throws FeedParseException {
    JsonNode root;
    try {
      root = mapper.readTree(text);
    } catch (StreamConstraintsException e) {
      throw FeedParseException.tooLarge(
          "The JSON document goes beyond a bound of depth or length.");
    } catch (JsonProcessingException e) {
      JsonLocation location = e.getLocation();
      throw FeedParseException.at(
          text.contains(VERSION)
              ? FeedParseException.Kind.BROKEN
              : FeedParseException.Kind.NOT_A_FEED,
          location == null ? 0 : location.getLineNr(),
          location == null ? 0 : location.getColumnNr(),
          "The document is not well-formed JSON",
          e);
    }
    String version = text(root, "version");
    if (version == null || !version.contains(VERSION)) {
      throw FeedParseException.notAFeed("The document is JSON, but no JSON Feed.");
    }
    return feed(root, context);
  }

  private static Feed feed(JsonNode root, FeedFormat.Context context) {
    LinkList links = new LinkList(context.base());
    add(links, Link.ALTERNATE, text(root, "home_page_url"), "text/html");
    add(links, Link.SELF, text(root, "feed_url"), "application/feed+json");
    add(links, Link.PICTURE, text(root, "icon"), null);
    add(links, Link.PICTURE, text(root, "favicon"), null);
    List<String> hubs = new ArrayList<>();
    for (JsonNode hub : root.path("hubs")) {
      String url = text(hub, "url");
      if (url != null && "websub".equalsIgnoreCase(text(hub, "type"))) {
        add(links, Link.HUB, url, null);
        hubs.add(Urls.resolve(context.base(), url));
      }
    }
    String self = links.first(Link.SELF);
    String language = text(root, "language");
    List<Author> authors = authors(root, context);
    List<Entry> entries = new ArrayList<>();
    for (JsonNode item : root.path("items")) {
      if (entries.size() == Limits.MAX_ENTRIES) {
        context.repairs().add("Only the first " + Limits.MAX_ENTRIES + " entries were read.");
        break;
      }
      entries.add(entry(item, language, context));
    }
    return new Feed(
        self == null ? context.base().toString() : self,
        text(root, "title"),
        text(root, "description"),
        null,
        language,
        links.links(),
        authors,
        entries,
        new Hints(null, List.of(), List.of(), null, null, hubs, self, List.of()),
        context.repairs());
  }

  private static Entry entry(
      JsonNode item, @Nullable String feedLanguage, FeedFormat.Context context) {
    LinkList links = new LinkList(context.base());
    add(links, Link.ALTERNATE, text(item, "url"), "text/html");
    add(links, "related", text(item, "external_url"), null);
    add(links, Link.PICTURE, text(item, "image"), null);
    add(links, Link.PICTURE, text(item, "banner_image"), null);
    for (JsonNode attachment : item.path("attachments")) {
      String mime = text(attachment, "mime_type");
      String title = text(attachment, "title");
      String size = text(attachment, "size_in_bytes");
      links.add(NO_SCOPE, Link.ENCLOSURE, text(attachment, "url"), mime, title, size);
    }
    Set<String> tags = new LinkedHashSet<>();
    item.path("tags").forEach(tag -> Extensions.addTo(tags, legal(tag)));
    String html = text(item, "content_html");
    String plain = text(item, "content_text");
    String summary = text(item, "summary");
    String id = text(item, "id");
    String language = text(item, "language");
    return new Entry(
        id == null ? "" : id,
        id == null,
        text(item, "title"),
        Dates.parse(text(item, "date_published")),
        Dates.parse(text(item, "date_modified")),
        html != null ? Content.html(html) : plain != null ? Content.text(plain) : null,
        summary == null ? null : Content.text(summary),
        links.links(),
        new ArrayList<>(tags),
        authors(item, context),
        null,
        List.of(),
        List.of(),
        language == null ? feedLanguage : language,
        null);
  }

  /** Version 1.1 has {@code authors}, 1.0 a single {@code author}. */
  private static List<Author> authors(JsonNode parent, FeedFormat.Context context) {
    List<JsonNode> nodes = new ArrayList<>();
    parent.path("authors").forEach(nodes::add);
    if (nodes.isEmpty() && parent.path("author").isObject()) {
      nodes.add(parent.path("author"));
    }
    List<Author> authors = new ArrayList<>();
    for (JsonNode node : nodes) {
      LinkList links = new LinkList(context.base());
      add(links, Link.PICTURE, text(node, "avatar"), null);
      String url = text(node, "url");
      String uri = url == null ? null : Urls.resolve(context.base(), url);
      String name = text(node, "name");
      if ((name != null || uri != null || links.has(Link.PICTURE))
          && authors.size() < Limits.MAX_VALUES) {
        authors.add(new Author(name, null, uri, null, null, List.of(), links.links()));
      }
    }
    return authors;
  }

  private static void add(
      LinkList links, String rel, @Nullable String href, @Nullable String type) {
    links.add(NO_SCOPE, rel, href, type);
  }

  private static @Nullable String text(JsonNode parent, String name) {
    return legal(parent.path(name));
  }

  /** A string, or a number where a string was meant, without half surrogates and the like. */
  private static @Nullable String legal(JsonNode node) {
    return node.isTextual() || node.isNumber() ? Present.text(XmlChars.legal(node.asText())) : null;
  }
}
