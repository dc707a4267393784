package io.feedbridge.normalizer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.JsonPathException;
import com.jayway.jsonpath.PathNotFoundException;
import com.jayway.jsonpath.spi.json.JacksonJsonNodeJsonProvider;
import com.jayway.jsonpath.spi.mapper.JacksonMappingProvider;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jsoup.parser.StreamParser;
import org.jspecify.annotations.Nullable;

/**
 * A document of which parts are selected. It is read once for all of its selections, when the first
 * of a kind is made. For one thread.
 */
public final class SelectableDocument {

  /** Elements of a page; a short page can have millions. */
  static final int MAX_ELEMENTS = 200_000;

  /** Elements nested in one another; browsers nest no more than twice as many. */
  static final int MAX_DEPTH = 256;

  /** Bytes of a document. */
  static final int MAX_BYTES = 5 << 20;

  /** Characters of a selected part. */
  static final int MAX_SELECTED = 1 << 20;

  /** Time of the processor that one selection takes. */
  static final Duration MAX_TIME = Duration.ofMillis(200);

  /** Steps of one JSONPath through a document. */
  static final int MAX_STEPS = 5_000_000;

  /**
   * Bytes of a page times the depth of its elements, up to which conditions on text are tried: one
   * element can have the text of all its ancestors read, and that cannot be stopped.
   */
  static final long MAX_NESTED_TEXT = 100_000_000;

  /** Elements after which the time is looked at. */
  private static final int TIMED_EVERY = 32;

  private static final int SNIFFED = 1_024;
  private static final Pattern CHARSET =
      Pattern.compile("charset\\s*=\\s*[\"']?([\\w.:+-]+)", Pattern.CASE_INSENSITIVE);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final ObjectMapper MAPPER =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder()
                      .maxNestingDepth(Limits.MAX_DEPTH)
                      .maxStringLength(Limits.MAX_TEXT_LENGTH)
                      .build())
              .build());

  private final byte[] body;
  private final Served served;
  private @Nullable Document page;
  private long nestedText;
  private @Nullable JsonNode json;
  private @Nullable BadSelectionException unreadable;

  /**
   * A document.
   *
   * @param body not changed afterwards
   */
  public SelectableDocument(byte[] body, Served served) {
    this.body = body;
    this.served = served;
  }

  /**
   * Selects a part.
   *
   * @throws BadSelectionException if the document is none of which parts are selected in this way,
   *     has no such part, or one beyond the bounds
   */
  public Selected select(Selection selection) throws BadSelectionException {
    if (unreadable != null) {
      throw unreadable;
    }
    if (body.length > MAX_BYTES) {
      throw failed(
          "parts of a document of more than %,d bytes are not offered".formatted(MAX_BYTES));
    }
    Selected selected =
        selection instanceof Selection.Css css ? select(css) : select((Selection.Json) selection);
    if (selected.markup().length() > MAX_SELECTED) {
      throw tooLong(selection);
    }
    return selected;
  }

  private static BadSelectionException tooLong(Selection selection) {
    return new BadSelectionException(
        "\"%s\" selects more than %,d characters".formatted(selection.text(), MAX_SELECTED));
  }

  private static BadSelectionException nothing(Selection selection) {
    return new BadSelectionException(
        "the document has nothing that \"%s\" selects".formatted(selection.text()));
  }

  private static BadSelectionException tooSlow(Selection selection) {
    return new BadSelectionException(
        "\"%s\" takes too long in this document; select by fewer or simpler conditions"
            .formatted(selection.text()));
  }

  // Elements of a page

  private Selected select(Selection.Css css) throws BadSelectionException {
    Document document = page == null ? readPage() : page;
    if (nestedText > MAX_NESTED_TEXT && css.text().contains(":contains")) {
      throw tooSlow(css);
    }
    StringBuilder markup = new StringBuilder();
    StringBuilder text = new StringBuilder();
    int count = 0;
    long until = THREADS.getCurrentThreadCpuTime() + MAX_TIME.toNanos();
    int seen = 0;
    for (Iterator<Element> all = document.stream().iterator(); all.hasNext(); ) {
      Element element = all.next();
      if (++seen % TIMED_EVERY == 0 && THREADS.getCurrentThreadCpuTime() > until) {
        throw tooSlow(css);
      }
      if (css.evaluator().matches(document, element)) {
        count++;
        markup.append(count == 1 ? "" : "\n").append(element.outerHtml());
        text.append(count == 1 ? "" : " ").append(element.text());
        if (markup.length() > MAX_SELECTED) {
          throw tooLong(css);
        }
      }
    }
    if (count == 0) {
      throw nothing(css);
    }
    String title = document.title().strip();
    return new Selected(
        Selected.HTML,
        markup.toString(),
        text.toString().strip(),
        title.isEmpty() ? null : title,
        count);
  }

  private Document readPage() throws BadSelectionException {
    String text = text();
    String type = type();
    String begins = text.substring(0, Math.min(SNIFFED, text.length())).stripLeading();
    boolean html =
        type.contains("html")
            || (type.isEmpty() && begins.startsWith("<"))
            || begins.toLowerCase(Locale.ROOT).startsWith("<!doctype html");
    if (!html) {
      throw failed(
          "a CSS selector selects from an HTML page, and the document is %s"
              .formatted(type.isEmpty() ? "none" : type));
    }
    try (StreamParser parser = new StreamParser(Parser.htmlParser())) {
      Iterator<Element> elements = parser.parse(text, served.base().toString()).iterator();
      for (int count = 0; elements.hasNext(); count++) {
        if (count > MAX_ELEMENTS) {
          throw failed("the page has more than %,d elements".formatted(MAX_ELEMENTS));
        }
        elements.next();
      }
      Document document = parser.document();
      int[] depth = {0};
      document.traverse((node, nested) -> depth[0] = Math.max(depth[0], nested));
      if (depth[0] > MAX_DEPTH) {
        throw failed("the page nests elements more than %,d deep".formatted(MAX_DEPTH));
      }
      nestedText = (long) body.length * depth[0];
      document.outputSettings().prettyPrint(false);
      page = document;
      return document;
    }
  }

  private BadSelectionException failed(String reason) {
    unreadable = new BadSelectionException(reason);
    return unreadable;
  }

  private String type() {
    String type = served.contentType() == null ? "" : served.contentType();
    int end = type.indexOf(';');
    return (end < 0 ? type : type.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  private String text() {
    String start = new String(body, 0, Math.min(body.length, SNIFFED), StandardCharsets.ISO_8859_1);
    Charset charset = charset(served.contentType());
    charset = charset == null ? charset(start) : charset;
    if (start.startsWith("\u00ef\u00bb\u00bf")) {
      return new String(body, 3, body.length - 3, StandardCharsets.UTF_8);
    }
    if (charset != null) {
      return new String(body, charset);
    }
    String utf8 = Charsets.strictly(body, StandardCharsets.UTF_8);
    return utf8 == null ? new String(body, Charsets.WINDOWS_1252) : utf8;
  }

  private static @Nullable Charset charset(@Nullable String text) {
    Matcher matcher = CHARSET.matcher(text == null ? "" : text);
    return matcher.find() ? Charsets.labelled(matcher.group(1)) : null;
  }

  // Values of a JSON document

  private Selected select(Selection.Json selection) throws BadSelectionException {
    JsonNode document = json == null ? readJson() : json;
    Object found;
    try {
      Configuration configuration =
          Configuration.builder()
              .jsonProvider(new Steps())
              .mappingProvider(new JacksonMappingProvider(MAPPER))
              .build();
      found = selection.path().read((Object) document, configuration);
    } catch (PathNotFoundException none) {
      throw nothing(selection);
    } catch (TooManySteps e) {
      throw tooSlow(selection);
    } catch (JsonPathException | ClassCastException | IllegalArgumentException e) {
      throw new BadSelectionException(
          "\"%s\" cannot be applied to the document: %s"
              .formatted(selection.text(), e.getMessage()));
    }
    JsonNode node = found instanceof JsonNode one ? one : MAPPER.valueToTree(found);
    boolean definite = selection.path().isDefinite();
    if (!definite && node.isEmpty()) {
      throw nothing(selection);
    }
    String markup = node.toString();
    return new Selected(
        Selected.JSON,
        markup,
        node.isValueNode() ? node.asText() : markup,
        null,
        definite ? 1 : node.size());
  }

  private JsonNode readJson() throws BadSelectionException {
    try {
      JsonNode read = MAPPER.readTree(body);
      if (read == null || read.isMissingNode()) {
        throw failed("a JSONPath selects from a JSON document, and this one is empty");
      }
      json = read;
      return read;
    } catch (JsonProcessingException e) {
      throw failed(
          "a JSONPath selects from a JSON document, and this cannot be read as one: "
              + e.getOriginalMessage());
    } catch (IOException e) {
      throw failed("the document cannot be read: " + e.getMessage());
    }
  }

  /** The path has gone too many steps. */
  private static final class TooManySteps extends JsonPathException {
    private static final long serialVersionUID = 1L;
  }

  /** Counts the steps of a path: {@code $..*..*..*} takes more than any document is worth. */
  private static final class Steps extends JacksonJsonNodeJsonProvider {
    private int steps;

    Steps() {
      super(MAPPER);
    }

    private void step(int more) {
      steps += 1 + more;
      if (steps > MAX_STEPS || steps < 0) {
        throw new TooManySteps();
      }
    }

    @Override
    public Object getArrayIndex(Object node, int index) {
      step(0);
      return super.getArrayIndex(node, index);
    }

    @Override
    public Object getMapValue(Object node, String key) {
      step(0);
      return super.getMapValue(node, key);
    }

    @Override
    public boolean isMap(Object node) {
      step(0);
      return super.isMap(node);
    }

    @Override
    public Collection<String> getPropertyKeys(Object node) {
      step(super.length(node));
      return super.getPropertyKeys(node);
    }

    @Override
    public Iterable<?> toIterable(Object node) {
      step(super.length(node));
      return super.toIterable(node);
    }
  }
}
