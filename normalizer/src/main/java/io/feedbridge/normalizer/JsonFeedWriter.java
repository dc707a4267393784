package io.feedbridge.normalizer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A feed as JSON Feed 1.1, as it is served to feed readers; required keys are always there, and
 * fields that have no key are left out. Thread-safe.
 */
public final class JsonFeedWriter {
  /** The key of fields that have no key in JSON Feed. */
  private static final String EXTENSION = "_feedbridge";

  private static final String STATUS = "_superfeedr";

  /** Extensions that the gateway writes itself, and so does not take over from a document. */
  static final Set<String> OWN = Set.of(EXTENSION, STATUS);

  private static final JsonFactory JSON = new JsonFactory();

  private JsonFeedWriter() {}

  /**
   * The feed as one document in UTF-8.
   *
   * @param offer how the document says that it can be followed: its {@code feed_url} and its {@code
   *     hubs}, rssCloud servers among them by their full URL
   */
  public static byte[] write(Feed feed, PushOffer offer) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      write(feed, offer, out);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  /** The same, as it is made; {@code out} is flushed and left open. */
  public static void write(Feed feed, PushOffer offer, OutputStream out) throws IOException {
    try (JsonGenerator generator = JSON.createGenerator(out)) {
      generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      new Writer(generator).document(feed, offer, null);
    }
  }

  /**
   * The same.
   *
   * @param status written beside the items, as {@code _superfeedr.status}
   */
  static void write(Feed feed, PushOffer offer, Status status, OutputStream out)
      throws IOException {
    try (JsonGenerator generator = JSON.createGenerator(out)) {
      generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      new Writer(generator).document(feed, offer, status);
    }
  }

  private record Writer(JsonGenerator json) {

    void document(Feed feed, PushOffer offer, @Nullable Status status) throws IOException {
      json.writeStartObject();
      json.writeStringField("version", "https://jsonfeed.org/version/1.1");
      json.writeStringField("title", feed.title() == null ? "" : XmlChars.legal(feed.title()));
      text("home_page_url", feed.permalink());
      text("feed_url", offer.self());
      text("description", feed.subtitle());
      text("next_url", first(feed.links(), "next"));
      text("icon", first(feed.links(), Link.PICTURE));
      authors(feed.authors());
      text("language", feed.language());
      hubs(offer);
      superfeedr(feed.removals(), status);
      extensions(feed.extensions());
      json.writeArrayFieldStart("items");
      for (Entry entry : feed.entries()) {
        item(entry, feed.language());
      }
      json.writeEndArray();
      json.writeEndObject();
    }

    /** JSON Feed has no key for a removed entry. */
    private void superfeedr(List<Removal> removals, @Nullable Status status) throws IOException {
      if (status == null && removals.isEmpty()) {
        return;
      }
      json.writeObjectFieldStart(STATUS);
      if (status != null) {
        json.writeFieldName("status");
        SuperfeedrJson.write(status, json);
      }
      if (!removals.isEmpty()) {
        json.writeFieldName("removed");
        SuperfeedrJson.write(removals, json);
      }
      json.writeEndObject();
    }

    private void hubs(PushOffer offer) throws IOException {
      String cloud = offer.sourceCloud();
      if (offer.hubs().isEmpty() && cloud == null) {
        return;
      }
      json.writeArrayFieldStart("hubs");
      for (String hub : offer.hubs()) {
        hub("WebSub", hub);
      }
      if (cloud != null) {
        hub("rssCloud", cloud);
      }
      json.writeEndArray();
    }

    private void hub(String type, String url) throws IOException {
      json.writeStartObject();
      text("type", type);
      text("url", url);
      json.writeEndObject();
    }

    private void item(Entry entry, @Nullable String feedLanguage) throws IOException {
      json.writeStartObject();
      text("id", entry.id());
      text("url", entry.permalink());
      text("external_url", first(entry.links(), "related"));
      text("title", entry.title());
      contents(entry);
      text("image", first(entry.links(), Link.PICTURE));
      time("date_published", entry.published());
      time("date_modified", entry.updated());
      // In JSON Feed the authors of the feed are also an item's; the authors of its source are not
      authors(entry.authorsWithin(List.of()));
      tags(entry.categories());
      if (!Objects.equals(entry.language(), feedLanguage)) {
        text("language", entry.language());
      }
      attachments(entry);
      extensions(entry.extensions());
      json.writeEndObject();
    }

    /**
     * JSON Feed has publishers add objects of their own, under names that begin with a low line.
     */
    private void extensions(List<Extension> extensions) throws IOException {
      ExtensionJson writer = new ExtensionJson(json);
      writer.raw(extensions);
      if (ExtensionJson.any(extensions)) {
        json.writeObjectFieldStart(EXTENSION);
        writer.write(extensions);
        json.writeEndObject();
      }
    }

    /** One of the two contents is required; a summary is plain text. */
    private void contents(Entry entry) throws IOException {
      Content summary = entry.summary();
      Content content = entry.content();
      if (content == null || content.asText() == null) {
        content(summary);
        return;
      }
      content(content);
      String text = summary == null ? null : summary.asText();
      if (summary != null && text != null) {
        text("summary", summary.isHtml() ? HtmlText.plain(text).trim() : text);
      }
    }

    private void content(@Nullable Content content) throws IOException {
      String text = content == null ? null : content.absolute();
      boolean html = content != null && text != null && content.isHtml();
      json.writeStringField(
          html ? "content_html" : "content_text", text == null ? "" : XmlChars.legal(text));
    }

    /** An author has a name, an address or an image, or is none. */
    private void authors(List<Author> authors) throws IOException {
      boolean any = false;
      for (Author author : authors) {
        String name = author.name() == null ? author.title() : author.name();
        name = name == null ? author.email() : name;
        String url = author.uri() == null ? Link.permalink(author.links()) : author.uri();
        String avatar = Link.image(author.links());
        if (name == null && url == null && avatar == null) {
          continue;
        }
        if (!any) {
          json.writeArrayFieldStart("authors");
          any = true;
        }
        json.writeStartObject();
        text("name", name);
        text("url", url);
        text("avatar", avatar);
        json.writeEndObject();
      }
      if (any) {
        json.writeEndArray();
      }
    }

    private void tags(List<String> categories) throws IOException {
      if (!categories.isEmpty()) {
        json.writeArrayFieldStart("tags");
        for (String category : categories) {
          json.writeString(XmlChars.legal(category));
        }
        json.writeEndArray();
      }
    }

    /** An attachment's type is required. */
    private void attachments(Entry entry) throws IOException {
      // The length of an episode is that of its recording
      String length = Extension.textOf(entry.extensions(), "itunes:duration");
      boolean any = false;
      for (Link link : entry.links()) {
        if (!link.rel().equals(Link.ENCLOSURE)) {
          continue;
        }
        if (!any) {
          json.writeArrayFieldStart("attachments");
          any = true;
        }
        json.writeStartObject();
        json.writeStringField("url", XmlChars.legal(link.href()));
        text("mime_type", link.type() == null ? "application/octet-stream" : link.type());
        text("title", link.title());
        Long size = link.length();
        if (size != null) {
          json.writeNumberField("size_in_bytes", size);
        }
        duration(link.details(), length);
        length = null;
        json.writeEndObject();
      }
      if (any) {
        json.writeEndArray();
      }
    }

    private void duration(@Nullable Extension details, @Nullable String ofEntry)
        throws IOException {
      String own = details == null ? null : details.attributes().get("duration");
      BigDecimal seconds = ExtensionJson.seconds(own == null ? ofEntry : own);
      if (seconds != null) {
        json.writeFieldName("duration_in_seconds");
        json.writeNumber(seconds.toPlainString());
      }
    }

    private static @Nullable String first(List<Link> links, String rel) {
      for (Link link : links) {
        if (link.rel().equals(rel)) {
          return link.href();
        }
      }
      return null;
    }

    private void text(String name, @Nullable String value) throws IOException {
      if (value != null && !value.isEmpty()) {
        json.writeStringField(name, XmlChars.legal(value));
      }
    }

    /** RFC 3339, in UTC. */
    private void time(String name, @Nullable Instant value) throws IOException {
      text(name, value == null ? null : value.toString());
    }
  }
}
