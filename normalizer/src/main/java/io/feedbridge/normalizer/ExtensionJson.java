package io.feedbridge.normalizer;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@link Extension}s as JSON: an object for each namespace under its usual prefix, a key for
 * each name. A key has the same shape for every document: the value of an element that may stand
 * several times is an array, and a text in the place of a number is left out.
 */
final class ExtensionJson {
  private static final Pattern NUMBER = Pattern.compile("[+-]?\\d{1,15}(?:\\.\\d{1,9})?");
  private static final Pattern CLOCK =
      Pattern.compile("(?:(\\d{1,4}):)?(\\d{1,5}):(\\d{1,2}(?:\\.\\d{1,9})?)");

  /** Attributes that are numbers. */
  private static final Set<String> NUMBERS =
      Set.of(
          "width",
          "height",
          "bitrate",
          "framerate",
          "samplingrate",
          "channels",
          "count",
          "average",
          "min",
          "max",
          "views",
          "favorites",
          "length",
          "split");

  /** Attributes that are a time from a start, in seconds or as a clock shows it. */
  private static final Set<String> TIMES = Set.of("duration", "start", "startTime");

  /** The JSON type of an element. */
  private enum Kind {
    TEXT,
    NUMBER,
    SECONDS,
    FLAG,
    OBJECT,
    OBJECTS,
    TEXTS
  }

  private static final Map<String, Kind> KINDS = kinds();

  private static Map<String, Kind> kinds() {
    Map<String, Kind> kinds = new LinkedHashMap<>();
    all(kinds, Kind.SECONDS, "itunes:duration");
    all(kinds, Kind.NUMBER, "itunes:season", "itunes:episode", "itunes:order");
    all(kinds, Kind.NUMBER, "slash:comments", "thr:total");
    all(kinds, Kind.FLAG, "itunes:explicit", "itunes:block", "itunes:complete");
    all(kinds, Kind.FLAG, "itunes:isClosedCaptioned");
    all(kinds, Kind.TEXT, "podcast:guid", "podcast:medium");
    all(kinds, Kind.TEXT, "media:title", "media:description", "media:keywords", "media:tags");
    all(kinds, Kind.OBJECT, "itunes:owner", "atom:generator", "psc:chapters", "webfeeds:cover");
    all(kinds, Kind.OBJECT, "webfeeds:related");
    all(kinds, Kind.OBJECT, "podcast:locked", "podcast:chapters", "podcast:value");
    all(kinds, Kind.OBJECT, "podcast:season", "podcast:episode", "podcast:license");
    all(kinds, Kind.OBJECT, "podcast:images", "podcast:publisher", "podcast:updateFrequency");
    all(kinds, Kind.OBJECT, "podcast:podroll", "podcast:podping", "podcast:chat");
    all(kinds, Kind.OBJECT, "media:community", "media:statistics", "media:starRating");
    all(kinds, Kind.OBJECT, "media:copyright", "media:license", "media:player", "media:hash");
    return Map.copyOf(kinds);
  }

  private static void all(Map<String, Kind> kinds, Kind kind, String... names) {
    for (String name : names) {
      kinds.put(name, kind);
    }
  }

  private static Kind kind(Extension extension) {
    Kind kind = KINDS.get(extension.name());
    if (kind != null) {
      return kind;
    }
    return switch (extension.prefix()) {
      case "podcast", "media", "thr", "psc" -> Kind.OBJECTS;
      case "dc" -> Kind.TEXTS;
      default -> Kind.TEXT;
    };
  }

  private final JsonGenerator json;

  ExtensionJson(JsonGenerator json) {
    this.json = json;
  }

  /** Writes the keys of extensions into the object that is open. */
  void write(List<Extension> extensions) throws IOException {
    if (extensions.isEmpty()) {
      return;
    }
    Map<String, List<Extension>> byPrefix = new LinkedHashMap<>();
    for (Extension extension : extensions) {
      byPrefix.computeIfAbsent(extension.prefix(), any -> new ArrayList<>()).add(extension);
    }
    byPrefix.remove("json");
    List<Extension> atom = byPrefix.remove("atom");
    rights(extensions);
    if (atom != null) {
      atom(atom);
    }
    for (Map.Entry<String, List<Extension>> prefix : byPrefix.entrySet()) {
      json.writeObjectFieldStart(prefix.getKey());
      named(prefix.getValue(), new HashSet<>());
      json.writeEndObject();
    }
  }

  /** Writes extensions of JSON Feed's own kind into the object that is open, as they were read. */
  void raw(List<Extension> extensions) throws IOException {
    for (Extension extension : extensions) {
      String text = extension.text();
      if (extension.prefix().equals("json") && text != null) {
        json.writeFieldName(XmlChars.legal(extension.localName()));
        json.writeRawValue(XmlChars.legal(text));
      }
    }
  }

  /** Whether {@link #write} would write anything. */
  static boolean any(List<Extension> extensions) {
    for (Extension extension : extensions) {
      if (!extension.prefix().equals("json")) {
        return true;
      }
    }
    return false;
  }

  /** Writes the details of a link into the link's object. */
  void details(@Nullable Extension details) throws IOException {
    if (details != null) {
      fields(details, new HashSet<>(Set.of("title", "rel", "href", "type", "length")));
    }
  }

  private void rights(List<Extension> extensions) throws IOException {
    String rights = Extension.textOf(extensions, "atom:rights");
    rights = rights == null ? Extension.textOf(extensions, "dc:rights") : rights;
    if (rights != null) {
      json.writeStringField("rights", XmlChars.legal(rights));
    }
  }

  private void atom(List<Extension> atom) throws IOException {
    boolean generated = false;
    List<Extension> categories = new ArrayList<>();
    for (Extension extension : atom) {
      if (extension.localName().equals("generator") && !generated) {
        generated = true;
        json.writeFieldName("generator");
        object(extension);
      } else if (extension.localName().equals("category")) {
        categories.add(extension);
      }
    }
    if (!categories.isEmpty()) {
      json.writeFieldName("categoryDetails");
      objects(categories);
    }
  }

  /** Extensions side by side, grouped by name. */
  private void named(List<Extension> extensions, Set<String> taken) throws IOException {
    Map<String, List<Extension>> byName = new LinkedHashMap<>();
    for (Extension extension : extensions) {
      byName.computeIfAbsent(extension.name(), any -> new ArrayList<>()).add(extension);
    }
    for (List<Extension> same : byName.values()) {
      String key = key(same.get(0).localName());
      if (taken.add(key)) {
        value(key, same);
      }
    }
  }

  private void value(String key, List<Extension> same) throws IOException {
    Extension first = same.get(0);
    Kind kind = kind(first);
    switch (kind) {
      case OBJECT -> {
        json.writeFieldName(key);
        object(first);
      }
      case OBJECTS -> {
        json.writeFieldName(key);
        objects(same);
      }
      case TEXTS -> {
        json.writeArrayFieldStart(key);
        for (Extension extension : same) {
          json.writeString(XmlChars.legal(text(extension)));
        }
        json.writeEndArray();
      }
      case TEXT -> json.writeStringField(key, XmlChars.legal(text(first)));
      case NUMBER -> number(key, plain(text(first)));
      case SECONDS -> number(key, seconds(text(first)));
      case FLAG -> {
        Boolean flag = flag(text(first));
        if (flag != null) {
          json.writeBooleanField(key, flag);
        }
      }
    }
  }

  /** The text, or the address in its place. */
  private static String text(Extension extension) {
    String text = extension.text();
    for (String name : List.of("href", "url", "image", "text")) {
      text = text == null ? extension.attributes().get(name) : text;
    }
    return text == null ? "" : text;
  }

  private void objects(List<Extension> extensions) throws IOException {
    json.writeStartArray();
    for (Extension extension : extensions) {
      object(extension);
    }
    json.writeEndArray();
  }

  private void object(Extension extension) throws IOException {
    json.writeStartObject();
    fields(extension, new HashSet<>());
    json.writeEndObject();
  }

  /** Attributes, text and children, of which the first of a name counts. */
  private void fields(Extension extension, Set<String> taken) throws IOException {
    for (Map.Entry<String, String> attribute : extension.attributes().entrySet()) {
      String name = attribute.getKey();
      String key = key(name.substring(name.indexOf(':') + 1));
      String value = attribute.getValue();
      if (taken.add(key)) {
        BigDecimal number =
            TIMES.contains(key) ? seconds(value) : NUMBERS.contains(key) ? plain(value) : null;
        if (number == null) {
          json.writeStringField(key, XmlChars.legal(value));
        } else {
          number(key, number);
        }
      }
    }
    String text = extension.text();
    if (text != null && taken.add("text")) {
      json.writeStringField("text", XmlChars.legal(text));
    }
    named(extension.children(), taken);
  }

  private void number(String key, @Nullable BigDecimal number) throws IOException {
    if (number != null) {
      json.writeFieldName(key);
      json.writeNumber(number.toPlainString());
    }
  }

  private static @Nullable BigDecimal plain(String text) {
    String trimmed = text.trim();
    return NUMBER.matcher(trimmed).matches()
        ? new BigDecimal(trimmed.startsWith("+") ? trimmed.substring(1) : trimmed)
        : null;
  }

  /** Seconds, written as such or as {@code hours:minutes:seconds}; null for another text. */
  static @Nullable BigDecimal seconds(@Nullable String text) {
    String trimmed = text == null ? "" : text.trim();
    Matcher clock = CLOCK.matcher(trimmed);
    if (!clock.matches()) {
      return plain(trimmed);
    }
    long hours = clock.group(1) == null ? 0 : Long.parseLong(clock.group(1));
    long minutes = Long.parseLong(clock.group(2));
    return new BigDecimal(clock.group(3)).add(BigDecimal.valueOf((hours * 60 + minutes) * 60));
  }

  private static @Nullable Boolean flag(String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "yes", "true", "explicit", "1" -> true;
      case "no", "false", "clean", "0" -> false;
      default -> null;
    };
  }

  /** The name in camel case, as the schema's keys are. */
  private static String key(String name) {
    StringBuilder key = new StringBuilder(name.length());
    boolean upper = false;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '-' || c == '_' || c == '.') {
        upper = !key.isEmpty();
      } else {
        key.append(upper ? Character.toUpperCase(c) : c);
        upper = false;
      }
    }
    return XmlChars.legal(key.toString());
  }
}
