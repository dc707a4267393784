package io.feedbridge.normalizer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.filter.FilteringGeneratorDelegate;
import com.fasterxml.jackson.core.filter.TokenFilter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of the Superfeedr schema: its keys in the order of its example, dates in Unix seconds,
 * unknown values left out, characters that no text should hold dropped. Fields that the schema
 * lacks follow under keys of their own. Thread-safe.
 */
public final class SuperfeedrJson {
  private static final JsonFactory JSON = new JsonFactory();

  private SuperfeedrJson() {}

  /** The feed and its status as one document in UTF-8. */
  public static byte[] write(Feed feed, Status status) {
    return write(feed, status, List.of(), false);
  }

  /**
   * The feed and its status as one document in UTF-8, with some members of each entry alone.
   *
   * @param fields names of members, beside which an entry has its {@code id}, and a removal its
   *     {@code removed}; empty for all members
   * @param digest whether the document is marked as a digest
   */
  public static byte[] write(Feed feed, Status status, Collection<String> fields, boolean digest) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator plain = JSON.createGenerator(out);
        JsonGenerator generator =
            fields.isEmpty()
                ? plain
                : new FilteringGeneratorDelegate(
                    plain,
                    new EntryMembers(Set.copyOf(fields)),
                    TokenFilter.Inclusion.INCLUDE_ALL_AND_PATH,
                    true)) {
      new Writer(generator).document(feed, status, digest);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  /** The same, as it is made; {@code out} is flushed and left open. */
  public static void write(Feed feed, Status status, OutputStream out) throws IOException {
    try (JsonGenerator generator = JSON.createGenerator(out)) {
      generator.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      new Writer(generator).document(feed, status, false);
    }
  }

  /** One entry alone as the schema has it, for a stream of entries. */
  public static byte[] write(Entry entry) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator generator = JSON.createGenerator(out)) {
      new Writer(generator).entry(entry, List.of());
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  /** A status alone as the schema has it. */
  public static byte[] write(Status status) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator generator = JSON.createGenerator(out)) {
      new Writer(generator).status(status);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
    return out.toByteArray();
  }

  /** A status as a value within another document. */
  static void write(Status status, JsonGenerator json) throws IOException {
    new Writer(json).status(status);
  }

  /** Removals as a value within another document. */
  static void write(List<Removal> removals, JsonGenerator json) throws IOException {
    json.writeStartArray();
    for (Removal removal : removals) {
      new Writer(json).removal(removal, false);
    }
    json.writeEndArray();
  }

  private record Writer(JsonGenerator json) {

    void document(Feed feed, Status status, boolean digest) throws IOException {
      json.writeStartObject();
      if (digest) {
        json.writeBooleanField("digest", true);
      }
      json.writeFieldName("status");
      status(status);
      json.writeArrayFieldStart("items");
      for (Entry entry : feed.entries()) {
        entry(entry, feed.authors());
      }
      for (Removal removal : feed.removals()) {
        removal(removal, true);
      }
      json.writeEndArray();
      text("subtitle", feed.subtitle());
      links(feed.links());
      text("permalinkUrl", feed.permalink());
      text("id", feed.id());
      text("title", feed.title());
      time("updated", feed.updated());
      actors(feed.authors());
      texts("categories", feed.categories());
      text("language", feed.language());
      String id = feed.id();
      atomId(id);
      contributors(feed.contributors());
      new ExtensionJson(json).write(feed.extensions());
      new ExtensionJson(json).raw(feed.extensions());
      texts("repairs", feed.repairs());
      json.writeEndObject();
    }

    /**
     * @param marked whether the object stands among entries
     */
    void removal(Removal removal, boolean marked) throws IOException {
      json.writeStartObject();
      text("id", removal.id());
      if (marked) {
        json.writeBooleanField("removed", true);
      }
      time("when", removal.when());
      Source source = removal.source();
      if (source != null) {
        source(source);
      }
      atomId(removal.id());
      json.writeEndObject();
    }

    /** The id that the Atom of the same document has, where it is another one. */
    private void atomId(@Nullable String id) throws IOException {
      String iri = id == null ? null : AtomIds.of(id);
      text("atomId", iri == null || iri.equals(id) ? null : iri);
    }

    private void contributors(List<Author> contributors) throws IOException {
      if (!contributors.isEmpty()) {
        json.writeArrayFieldStart("contributors");
        for (Author contributor : contributors) {
          actor(contributor);
        }
        json.writeEndArray();
      }
    }

    void status(Status status) throws IOException {
      json.writeStartObject();
      number("entriesCountSinceLastMaintenance", status.entriesCountSinceLastMaintenance());
      number("velocity", status.velocity());
      time("lastParse", status.lastParse());
      number("period", status.period());
      time("lastMaintenanceAt", status.lastMaintenanceAt());
      text("feed", status.feed());
      time("lastFetch", status.lastFetch());
      Integer code = status.code();
      number("code", code == null ? null : code.longValue());
      text("title", status.title());
      time("nextFetch", status.nextFetch());
      text("http", status.http());
      real("popularity", status.popularity());
      real("bozoRank", status.bozoRank());
      if (Boolean.TRUE.equals(status.generatedIds())) {
        json.writeBooleanField("generatedIds", true);
      }
      json.writeEndObject();
    }

    /**
     * @param ofFeed the authors of the feed, for an entry that names none
     */
    void entry(Entry entry, List<Author> ofFeed) throws IOException {
      json.writeStartObject();
      GeoPoint geo = entry.geo();
      if (geo != null) {
        json.writeObjectFieldStart("geo");
        json.writeStringField("type", "point");
        json.writeArrayFieldStart("coordinates");
        json.writeNumber(geo.latitude());
        json.writeNumber(geo.longitude());
        json.writeEndArray();
        json.writeEndObject();
      }
      links(entry.links());
      text("permalinkUrl", Link.page(entry.links()));
      text("verb", shortNameOfLast(entry.verbs()));
      content("content", entry.content());
      content("summary", entry.summary());
      time("published", entry.published());
      actors(entry.authorsWithin(ofFeed));
      texts("categories", entry.categories());
      text("id", entry.id());
      objects("object", entry.objects());
      text("title", entry.title());
      time("updated", entry.updated());
      Source source = entry.source();
      if (source != null) {
        source(source);
      }
      text("language", entry.language());
      type("contentType", entry.content());
      type("summaryType", entry.summary());
      atomId(entry.id());
      contributors(entry.contributors());
      objects("target", entry.targets());
      new ExtensionJson(json).write(entry.extensions());
      new ExtensionJson(json).raw(entry.extensions());
      json.writeEndObject();
    }

    /** The first under its name, all of several under the plural. */
    private void objects(String name, List<ActivityObject> objects) throws IOException {
      if (!objects.isEmpty()) {
        json.writeFieldName(name);
        object(objects.get(0));
      }
      if (objects.size() > 1) {
        json.writeArrayFieldStart(name + "s");
        for (ActivityObject object : objects) {
          object(object);
        }
        json.writeEndArray();
      }
    }

    private void source(Source source) throws IOException {
      json.writeObjectFieldStart("source");
      text("id", source.id());
      text("title", source.title());
      text("subtitle", source.subtitle());
      time("updated", source.updated());
      text("permalinkUrl", Link.permalink(source.links()));
      links(source.links());
      actors(source.authors());
      texts("categories", source.categories());
      text("language", source.language());
      Status status = source.status();
      if (status != null) {
        json.writeFieldName("status");
        status(status);
      }
      json.writeEndObject();
    }

    private void object(ActivityObject object) throws IOException {
      json.writeStartObject();
      text("permalinkUrl", Link.permalink(object.links()));
      content("content", object.content());
      time("published", object.published());
      actors(object.authors());
      texts("categories", object.categories());
      text("id", object.id());
      time("updated", object.updated());
      text("title", object.title());
      text("objectType", shortNameOfLast(object.objectTypes()));
      links(object.links());
      type("contentType", object.content());
      json.writeEndObject();
    }

    private void actors(List<Author> authors) throws IOException {
      if (authors.isEmpty()) {
        return;
      }
      json.writeFieldName("actor");
      actor(authors.get(0));
      if (authors.size() > 1) {
        json.writeArrayFieldStart("actors");
        for (Author author : authors) {
          actor(author);
        }
        json.writeEndArray();
      }
    }

    private void actor(Author author) throws IOException {
      json.writeStartObject();
      text("displayName", author.name());
      text("image", Link.image(author.links()));
      String profile = Link.permalink(author.links());
      text("permalinkUrl", profile == null ? author.uri() : profile);
      text("id", author.id());
      text("objectType", shortNameOfLast(author.objectTypes()));
      text("title", author.title());
      text("email", author.email());
      json.writeEndObject();
    }

    private void links(List<Link> links) throws IOException {
      if (links.isEmpty()) {
        return;
      }
      Map<String, List<Link>> byRel = new LinkedHashMap<>();
      for (Link link : links) {
        byRel.computeIfAbsent(link.rel(), rel -> new ArrayList<>()).add(link);
      }
      json.writeObjectFieldStart("standardLinks");
      for (Map.Entry<String, List<Link>> group : byRel.entrySet()) {
        json.writeArrayFieldStart(XmlChars.legal(group.getKey()));
        for (Link link : group.getValue()) {
          json.writeStartObject();
          text("title", link.title());
          text("rel", link.rel());
          text("href", link.href());
          text("type", link.type());
          number("length", link.length());
          new ExtensionJson(json).details(link.details());
          json.writeEndObject();
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    }

    private static @Nullable String shortNameOfLast(List<String> names) {
      if (names.isEmpty()) {
        return null;
      }
      String last = names.get(names.size() - 1);
      return last.substring(last.lastIndexOf('/') + 1);
    }

    private void content(String name, @Nullable Content content) throws IOException {
      text(name, content == null ? null : content.absolute());
    }

    /** {@code text}, {@code html} or a MIME type, of a content that is there. */
    private void type(String name, @Nullable Content content) throws IOException {
      if (content == null || content.asText() == null) {
        return;
      }
      String type = content.type().toLowerCase(Locale.ROOT);
      boolean plain = type.indexOf('/') < 0 || type.equals("text/plain");
      text(name, content.isHtml() ? Content.HTML : plain ? Content.TEXT : type);
    }

    private void text(String name, @Nullable String value) throws IOException {
      if (value != null && !value.isEmpty()) {
        json.writeStringField(name, XmlChars.legal(value));
      }
    }

    private void texts(String name, List<String> values) throws IOException {
      if (!values.isEmpty()) {
        json.writeArrayFieldStart(name);
        for (String value : values) {
          json.writeString(XmlChars.legal(value));
        }
        json.writeEndArray();
      }
    }

    private void time(String name, @Nullable Instant value) throws IOException {
      number(name, value == null ? null : value.getEpochSecond());
    }

    private void number(String name, @Nullable Long value) throws IOException {
      if (value != null) {
        json.writeNumberField(name, value);
      }
    }

    private void real(String name, @Nullable Double value) throws IOException {
      if (value != null && Double.isFinite(value)) {
        json.writeNumberField(name, value);
      }
    }
  }
}
