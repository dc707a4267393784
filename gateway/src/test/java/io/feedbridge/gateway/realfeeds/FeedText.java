package io.feedbridge.gateway.realfeeds;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A feed file as text, out of which entries are cut without parsing it: what remains is byte for
 * byte what its author wrote. One character is one byte, whatever the encoding, as long as that
 * agrees with ASCII.
 *
 * @param text of the file
 */
record FeedText(String text) {

  /** What hides tags that are none. */
  private static final Pattern TAG =
      Pattern.compile(
          "<!--.*?-->|<!\\[CDATA\\[.*?]]>|<(/?)((?:[\\w.-]+:)?(?:item|entry))(?=[\\s/>])"
              + "(?:[^<>\"']|\"[^\"]*\"|'[^']*')*?(/?)>",
          Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

  private static final Pattern ENCODING =
      Pattern.compile("^<\\?xml[^>]*encoding\\s*=\\s*[\"']([\\w.-]+)");
  private static final Pattern HUB_LINK =
      Pattern.compile("(rel\\s*=\\s*[\"'][^\"']*)\\bhub\\b", Pattern.CASE_INSENSITIVE);

  /** In these an entry may have an id or a title that is not its own. */
  private static final Pattern NESTING = Pattern.compile("<(?:source|svg)[\\s>]");

  /** The attributes of an element whose text is what it says: not base64, not markup. */
  private static final String PLAIN = "(?:\\s+(?:isPermaLink=\"\\w+\"|type=\"text\"))?";

  private static final Pattern CLOUD =
      Pattern.compile("(</?(?:[\\w.-]+:)?)cloud\\b", Pattern.CASE_INSENSITIVE);

  static FeedText of(byte[] bytes) {
    return new FeedText(new String(bytes, ISO_8859_1));
  }

  byte[] bytes() {
    return text.getBytes(ISO_8859_1);
  }

  /** With hubs and clouds by other names, so that no test subscribes anywhere in the world. */
  FeedText withoutUpstreams() {
    String noHub = HUB_LINK.matcher(text).replaceAll("$1off");
    return new FeedText(CLOUD.matcher(noHub).replaceAll("$1cl0ud").replace("\"hubs\"", "\"h0bs\""));
  }

  /** The outermost items and entries in the order of the document. */
  List<Range> entries() {
    List<Range> found = new ArrayList<>();
    Matcher tag = TAG.matcher(text);
    int depth = 0;
    int start = 0;
    while (tag.find()) {
      if (tag.group(2) == null) {
        continue;
      }
      boolean closes = !tag.group(1).isEmpty();
      boolean empty = !tag.group(3).isEmpty();
      if (!closes && depth == 0) {
        start = tag.start();
      }
      depth += empty ? 0 : closes ? -1 : 1;
      if (depth == 0 && (closes || empty)) {
        found.add(new Range(start, tag.end()));
      }
      depth = Math.max(depth, 0);
    }
    return found;
  }

  FeedText without(Range entry) {
    return new FeedText(text.substring(0, entry.start) + text.substring(entry.end));
  }

  /** What can be read off an entry with the bare eye: nothing that is escaped, or marked up. */
  Glance glance(Range entry) {
    String source = text.substring(entry.start, entry.end);
    String decoded = new String(source.getBytes(ISO_8859_1), charset());
    Optional<String> about = plain(decoded, "^<[^>]*rdf:about\\s*=\\s*\"([^\"&]+)\"");
    return new Glance(
        element(decoded, "guid").or(() -> element(decoded, "id")).or(() -> about),
        element(decoded, "title"),
        element(decoded, "link").filter(link -> link.matches("https?://[!-~]+")));
  }

  private static Optional<String> element(String source, String name) {
    boolean once = source.split("<" + name + "[\\s>/]", -1).length == 2;
    once &= !NESTING.matcher(source).find();
    return once
        ? plain(source, "<" + name + PLAIN + ">([^<&\ufffd]+)</" + name + ">")
        : Optional.empty();
  }

  private static Optional<String> plain(String source, String regex) {
    Matcher matcher = Pattern.compile(regex).matcher(source);
    return matcher.find()
        ? Optional.of(matcher.group(1).strip().replaceAll("\\s+", " ")).filter(t -> !t.isEmpty())
        : Optional.empty();
  }

  private Charset charset() {
    Matcher declared = ENCODING.matcher(text);
    String name = declared.find() ? declared.group(1).toUpperCase(Locale.ROOT) : "UTF-8";
    return name.equals("UTF-8") || !Charset.isSupported(name) ? UTF_8 : Charset.forName(name);
  }

  /** Where an entry stands. */
  record Range(int start, int end) {}

  /** What an entry plainly says; empty where that takes more than a glance. */
  record Glance(Optional<String> id, Optional<String> title, Optional<String> link) {}
}
