package io.feedbridge.normalizer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jdom2.Element;
import org.jspecify.annotations.Nullable;

/** JSON Feed 1.0 and 1.1. */
final class JsonFeedFormat {
  private static final String VERSION = "jsonfeed.org/version/1";
  private static final Pattern BARE_VERSION = Pattern.compile("1(\\.[01])?");

  /** JSON has no {@code xml:base}: every link stands in a scope without one. */
  private static final Element NO_SCOPE = new Element("feed");

  /** Apart, since they are slow to make and most documents are no JSON. */
  private static final class Mappers {
    static final JsonMapper STRICT = JsonMapper.builder(bounded()).build();

    /** Reads JSON that was written by hand, or without a library. */
    static final JsonMapper FORGIVING =
        JsonMapper.builder(bounded())
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
            .enable(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
            .build();

    private static JsonFactory bounded() {
      return JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(Limits.MAX_DEPTH)
                  .maxStringLength(Limits.MAX_TEXT_LENGTH)
                  .build())
          .build();
    }
  }

  /** The document in a text that does not begin with it; null where there is none. */
  static @Nullable String document(String text) {
    int brace = text.indexOf('{');
    return brace >= 0 && text.indexOf(VERSION, brace) >= 0 ? text.substring(brace) : null;
  }

  Feed read(String text, FeedFormat.Context context) throws FeedParseException {
    JsonNode root = tree(text, context.repairs());
    if (!isFeed(root)) {
      throw FeedParseException.notAFeed("The document is JSON, but no JSON Feed.");
    }
    return feed(root, context);
  }

  /**
   * JSON Feed 1.1, "version": the URL of the version makes a feed. Writers also give the bare
   * number. Other JSON with items is a resource of its own, whatever its keys.
   */
  private static boolean isFeed(JsonNode root) {
    String version = text(root, "version");
    return version != null
        && (version.toLowerCase(Locale.ROOT).contains(VERSION)
            || (BARE_VERSION.matcher(version).matches() && root.path("items").isArray()));
  }

  private JsonNode tree(String text, List<String> repairs) throws FeedParseException {
    try (JsonParser parser = Mappers.STRICT.createParser(text)) {
      return tree(parser, text, repairs);
    } catch (IOException e) {
      throw FeedParseException.broken("The document cannot be read as JSON.", e);
    }
  }

  private JsonNode tree(JsonParser parser, String text, List<String> repairs)
      throws FeedParseException, IOException {
    try {
      return Mappers.STRICT.readTree(parser);
    } catch (StreamConstraintsException e) {
      throw at(
          // An exceeded bound comes without a place of its own
          parser.currentLocation(),
          FeedParseException.Kind.TOO_LARGE,
          "The JSON goes beyond a bound of depth or length",
          e);
    } catch (JsonProcessingException e) {
      JsonNode mended = mended(text, repairs);
      if (mended != null) {
        return mended;
      }
      FeedParseException.Kind kind =
          text.contains(VERSION)
              ? FeedParseException.Kind.BROKEN
              : FeedParseException.Kind.NOT_A_FEED;
      throw at(e.getLocation(), kind, "The document is not well-formed JSON", e);
    }
  }

  private static FeedParseException at(
      @Nullable JsonLocation location,
      FeedParseException.Kind kind,
      String what,
      JsonProcessingException e) {
    int line = location == null ? 0 : location.getLineNr();
    int column = location == null ? 0 : location.getColumnNr();
    return FeedParseException.at(kind, line, column, what, e);
  }

  private @Nullable JsonNode mended(String text, List<String> repairs) {
    if (!text.contains(VERSION)) {
      return null;
    }
    String whole = JsonRepair.mend(text);
    try {
      JsonNode root = Mappers.FORGIVING.readTree(whole == null ? text : whole);
      repairs.add(
          whole == null
              ? "Text that JSON does not allow was read as it was meant."
              : CutOff.BEHIND_ENTRY);
      return root;
    } catch (JsonProcessingException beyondRepair) {
      return null;
    }
  }

  private static Feed feed(JsonNode root, FeedFormat.Context context) {
    LinkList links = new LinkList(context.base());
    add(links, Link.ALTERNATE, text(root, "home_page_url"), "text/html");
    add(links, Link.SELF, text(root, "feed_url"), "application/feed+json");
    add(links, Link.PICTURE, text(root, "icon"), null);
    add(links, Link.PICTURE, text(root, "favicon"), null);
    List<String> hubs = new ArrayList<>();
    List<Hints.Cloud> clouds = new ArrayList<>();
    for (JsonNode hub : root.path("hubs")) {
      String url = text(hub, "url");
      String type = text(hub, "type");
      if (url == null || type == null || hubs.size() + clouds.size() >= Limits.MAX_VALUES) {
        continue;
      }
      if (type.equalsIgnoreCase("websub") || type.equalsIgnoreCase("pubsubhubbub")) {
        add(links, Link.HUB, url, null);
        hubs.add(Urls.resolve(context.base(), url));
      } else if (type.equalsIgnoreCase("rsscloud")) {
        cloud(Urls.resolve(context.base(), url), clouds);
      }
    }
    String self = links.first(Link.SELF);
    String language = Languages.tag(text(root, "language"));
    language = language == null ? context.served().language() : language;
    List<Author> authors = authors(root, context);
    List<Entry> entries = new ArrayList<>();
    for (JsonNode item : root.path("items")) {
      if (entries.size() == Limits.MAX_ENTRIES) {
        context.repairs().add("Only the first " + Limits.MAX_ENTRIES + " entries were read.");
        break;
      }
      entries.add(entry(item, language, context));
    }
    Feed feed =
        new Feed(
            self == null ? context.address() : self,
            text(root, "title"),
            text(root, "description"),
            null,
            language,
            links.links(),
            authors,
            entries,
            new Hints(null, List.of(), List.of(), null, null, hubs, self, clouds, null),
            context.repairs());
    return feed.extended(List.of(), extensions(root));
  }

  /** The objects of publishers of their own, whose names begin with a low line. */
  private static List<Extension> extensions(JsonNode parent) {
    List<Extension> extensions = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : parent.properties()) {
      String name = XmlChars.legal(field.getKey());
      if (name.startsWith("_")
          && !JsonFeedWriter.OWN.contains(name)
          && extensions.size() < Limits.MAX_VALUES) {
        extensions.add(Extension.text("json:" + name, field.getValue().toString()));
      }
    }
    return extensions;
  }

  /** JSON Feed has one URL where RSS has the parts of one. */
  private static void cloud(String url, List<Hints.Cloud> into) {
    try {
      URI uri = new URI(url);
      String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
      boolean secure = scheme.equals("https");
      if (uri.getHost() != null && (secure || scheme.equals("http"))) {
        int port = uri.getPort() < 0 ? (secure ? 443 : 80) : uri.getPort();
        String protocol = secure ? "https-post" : "http-post";
        String path =
            uri.getRawQuery() == null
                ? uri.getRawPath()
                : uri.getRawPath() + "?" + uri.getRawQuery();
        into.add(new Hints.Cloud(uri.getHost(), port, path, "", protocol));
      }
    } catch (URISyntaxException unusable) {
      // A cloud has a URL
    }
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
      String seconds = text(attachment, "duration_in_seconds");
      Extension details =
          seconds == null
              ? null
              : new Extension("media:content", Map.of("duration", seconds), null, List.of());
      links.add(NO_SCOPE, Link.ENCLOSURE, text(attachment, "url"), mime, title, size, details);
    }
    Set<String> tags = new LinkedHashSet<>();
    item.path("tags").forEach(tag -> Extensions.addTo(tags, legal(tag)));
    String html = text(item, "content_html");
    String plain = text(item, "content_text");
    String summary = text(item, "summary");
    String id = text(item, "id");
    String language = Languages.tag(text(item, "language"));
    Entry read =
        new Entry(
            id == null ? "" : id,
            id == null,
            text(item, "title"),
            Dates.parse(text(item, "date_published")),
            Dates.parse(text(item, "date_modified")),
            html != null
                ? Content.html(html).at(context.base())
                : plain != null ? Content.text(plain) : null,
            summary == null ? null : Content.text(summary),
            links.links(),
            new ArrayList<>(tags),
            authors(item, context),
            null,
            List.of(),
            List.of(),
            language == null ? feedLanguage : language,
            null);
    return read.extended(List.of(), List.of(), extensions(item));
  }

  /** Version 1.1 has {@code authors}, 1.0 a single {@code author}; either is written for both. */
  private static List<Author> authors(JsonNode parent, FeedFormat.Context context) {
    List<Author> authors = new ArrayList<>();
    for (String name : List.of("authors", "author")) {
      if (authors.isEmpty()) {
        authors(parent.path(name), context, authors);
      }
    }
    return authors;
  }

  /** An object, a name alone, or a list of these. */
  private static void authors(JsonNode node, FeedFormat.Context context, List<Author> authors) {
    if (node.isArray()) {
      node.forEach(one -> authors(one, context, authors));
    } else {
      LinkList links = new LinkList(context.base());
      add(links, Link.PICTURE, text(node, "avatar"), null);
      String url = text(node, "url");
      String uri = url == null ? null : Urls.resolve(context.base(), url);
      String name = node.isTextual() ? legal(node) : text(node, "name");
      if ((name != null || uri != null || links.has(Link.PICTURE))
          && authors.size() < Limits.MAX_VALUES) {
        authors.add(new Author(name, null, uri, null, null, List.of(), links.links()));
      }
    }
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
    return node.isTextual() || node.isNumber()
        ? Present.text(C1Controls.characters(XmlChars.legal(node.asText())))
        : null;
  }
}
