package io.feedbridge.gateway.webhook.targets;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.samskivert.mustache.BasicCollector;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.MustacheException;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import java.io.StringWriter;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A Mustache template without partials and code: names of the document's members, sections and
 * comments. A template that begins with a brace or a bracket is JSON, where each value is escaped
 * for a JSON string; any other is plain text. Its data are maps, lists and simple values alone, so
 * that no method of an object can be named. Immutable.
 */
public final class Template {

  /** Characters of a template. */
  public static final int MAX_TEMPLATE = 16_384;

  /** Characters that a template may make of one document. */
  static final int MAX_MESSAGE = 1 << 20;

  /** Sections of a template. */
  static final int MAX_SECTIONS = 64;

  /** Values that are looked up and turns of sections that are taken for one document. */
  static final int MAX_STEPS = 200_000;

  private final String text;
  private final boolean json;

  private Template(String text) {
    this.text = text;
    json = isJson(text);
  }

  /**
   * Reads a template.
   *
   * @throws BadTemplateException if it is too long or does not parse, with the line
   */
  public static Template of(String text) {
    if (text.length() > MAX_TEMPLATE) {
      throw new BadTemplateException(
          "it has %d characters; at most %d may be".formatted(text.length(), MAX_TEMPLATE));
    }
    Template template = new Template(text);
    if (template.json && (text.contains("{{{") || text.contains("{{&"))) {
      throw new BadTemplateException(
          "JSON has no values without escaping: write {{name}} in place of {{{name}}} or {{&name}}");
    }
    Sections sections = new Sections();
    try {
      template.compiler().compile(text).visit(sections);
    } catch (MustacheException e) {
      throw new BadTemplateException("it cannot be read: " + e.getMessage());
    }
    if (sections.count > MAX_SECTIONS) {
      throw new BadTemplateException(
          "it has %d sections; at most %d may be".formatted(sections.count, MAX_SECTIONS));
    }
    return template;
  }

  /** Each document has a compiler of its own, which counts its steps. */
  private Mustache.Compiler compiler() {
    Mustache.Compiler plain =
        Mustache.compiler()
            .withCollector(new Members())
            .defaultValue("")
            .emptyStringIsFalse(true)
            .withLoader(
                name -> {
                  throw new MustacheException("there are no partials: '" + name + "'");
                });
    return json ? plain.withEscaper(Template::escaped) : plain.escapeHTML(false);
  }

  private static String escaped(String value) {
    String quoted = Json.text(value);
    return quoted.substring(1, quoted.length() - 1);
  }

  /** Whether a template makes JSON: it begins with a bracket, or a brace that begins no tag. */
  static boolean isJson(String text) {
    String begin = text.stripLeading();
    return begin.startsWith("[") || (begin.startsWith("{") && !begin.startsWith("{{"));
  }

  /**
   * The message of a document.
   *
   * @throws BadTemplateException if the message is too long, or should be JSON and is none
   */
  public byte[] render(byte[] document) {
    Bounded out = new Bounded();
    try {
      compiler().compile(text).execute(Json.read(document, Map.class), out);
    } catch (MustacheException e) {
      throw new BadTemplateException("it makes no message: " + e.getMessage());
    }
    byte[] message = out.toString().getBytes(UTF_8);
    if (json) {
      try {
        Object unused = Json.read(message, Object.class);
      } catch (StoreException e) {
        throw new BadTemplateException(
            "it makes no JSON of a document: look for commas and quotation marks");
      }
    }
    return message;
  }

  private static final class Sections implements Mustache.Visitor {
    private int count;

    @Override
    public void visitText(String text) {}

    @Override
    public void visitVariable(String name) {}

    @Override
    public boolean visitInclude(String name) {
      throw new MustacheException("there are no partials: '" + name + "'");
    }

    @Override
    public boolean visitSection(String name) {
      return ++count <= MAX_SECTIONS;
    }

    @Override
    public boolean visitInvertedSection(String name) {
      return ++count <= MAX_SECTIONS;
    }
  }

  /** Looks into maps and lists alone, and no further after {@link #MAX_STEPS}. */
  private static final class Members extends BasicCollector {
    private int steps;

    @Override
    public <K, V> Map<K, V> createFetcherCache() {
      return new ConcurrentHashMap<>();
    }

    @Override
    public Mustache.@Nullable VariableFetcher createFetcher(Object context, String name) {
      Mustache.VariableFetcher fetcher = super.createFetcher(context, name);
      return fetcher == null
          ? null
          : (of, key) -> {
            step();
            return fetcher.get(of, key);
          };
    }

    @Override
    public @Nullable Iterator<?> toIterator(Object value) {
      Iterator<?> all = super.toIterator(value);
      if (all == null) {
        step();
        return null;
      }
      return new Iterator<Object>() {
        @Override
        public boolean hasNext() {
          return all.hasNext();
        }

        @Override
        public Object next() {
          step();
          return all.next();
        }
      };
    }

    private void step() {
      if (++steps > MAX_STEPS) {
        throw new MustacheException("it takes more than %d steps".formatted(MAX_STEPS));
      }
    }
  }

  private static final class Bounded extends StringWriter {
    @Override
    public void write(int c) {
      require(1);
      super.write(c);
    }

    @Override
    public void write(String text) {
      require(text.length());
      super.write(text);
    }

    @Override
    public void write(String text, int from, int length) {
      require(length);
      super.write(text, from, length);
    }

    @Override
    public void write(char[] text, int from, int length) {
      require(length);
      super.write(text, from, length);
    }

    private void require(int more) {
      if (getBuffer().length() + more > MAX_MESSAGE) {
        throw new MustacheException("it is longer than %d characters".formatted(MAX_MESSAGE));
      }
    }
  }
}
