package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.normalizer.LanguageDetector;
import io.feedbridge.normalizer.Served;
import io.feedbridge.normalizer.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge normalize}: feeds of any format in, the same feeds in one schema out. */
@Command(
    name = "normalize",
    description =
        "Reads feeds of any format and writes each as one document, in the order in which they are"
            + " named.",
    footer = {
      "",
      "With --format json each document is one line, and so is what cannot be read:"
          + " {\"file\":\"…\",\"error\":\"…\"}. With the other formats that goes to the standard error.",
      "It ends with 0 when everything could be read, with 1 when something could not, with 2 when it"
          + " was asked for wrongly. URLs are fetched wherever they lead, private networks included."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
final class NormalizeCommand implements Callable<Integer> {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static final int FAILED = 1;

  /** Threads: a few more than there are processors, since those that fetch only wait. */
  private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

  /** Documents that are read ahead of the one to be written next. */
  private static final int AHEAD = 4 * THREADS;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE|URL|-",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "What to read: files, http and https URLs, - for the standard input.")
  private List<String> inputs = new ArrayList<>();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "json",
      converter = OutputFormat.Named.class,
      description = "What to write: ${COMPLETION-CANDIDATES}.")
  private OutputFormat format = OutputFormat.JSON;

  @Option(
      names = "--base",
      paramLabel = "URL",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "What relative URLs are relative to where a document says nothing of it. By default the URL"
              + " of a document that was fetched; those of a file stay relative.")
  private String base = "";

  @Option(
      names = "--content-type",
      paramLabel = "TYPE",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "The Content-Type to read the documents with, for its charset. By default the one that a"
              + " document was fetched with.")
  private String contentType = "";

  private final InputStream in;
  private final OutputStream out;
  private final Clock clock;
  private final FeedParser parser = new FeedParser();
  private final LanguageDetector languages = new LanguageDetector();

  NormalizeCommand(InputStream in, OutputStream out, Clock clock) {
    this.in = in;
    this.out = out;
    this.clock = clock;
  }

  /** What became of one input: a document, or an error. */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  private record Outcome(String input, byte[] document, @Nullable String error) {}

  /** The line of what cannot be read. */
  private record Unreadable(String file, String error) {}

  @Override
  public Integer call() throws InterruptedException {
    URI given = givenBase();
    if (Collections.frequency(inputs, DocumentReader.STDIN) > 1) {
      throw new ParameterException(
          spec.commandLine(), "The standard input (-) can be read once only");
    }
    boolean failed = false;
    ExecutorService workers = Executors.newFixedThreadPool(THREADS);
    try (DocumentReader reader = new DocumentReader(in)) {
      Deque<Future<Outcome>> ahead = new ArrayDeque<>();
      for (Iterator<String> next = inputs.iterator(); next.hasNext() || !ahead.isEmpty(); ) {
        while (next.hasNext() && ahead.size() < AHEAD) {
          String input = next.next();
          ahead.add(workers.submit(() -> normalize(input, given, reader)));
        }
        failed |= !write(ahead.remove().get());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("the normalizer failed", e.getCause());
    } catch (IOException e) {
      spec.commandLine().getErr().println("The output cannot be written: " + e.getMessage());
      return FAILED;
    } finally {
      workers.shutdownNow();
    }
    return failed ? FAILED : 0;
  }

  private @Nullable URI givenBase() {
    if (base.isEmpty()) {
      return null;
    }
    try {
      URI given = new URI(base);
      if (given.isAbsolute() && !given.isOpaque()) {
        return given;
      }
    } catch (URISyntaxException e) {
      // told below
    }
    throw new ParameterException(
        spec.commandLine(), "--base: '%s' is no absolute URL".formatted(base));
  }

  private Outcome normalize(String input, @Nullable URI given, DocumentReader reader) {
    try {
      DocumentReader.Document document = reader.read(input);
      Feed feed =
          languages.complete(parser.parse(document.body(), served(document.served(), given)));
      Status status = status(input, feed);
      return new Outcome(input, format.write(feed, status, clock.instant()), null);
    } catch (IOException | FeedParseException | RuntimeException e) {
      String reason = e.getMessage() == null ? e.toString() : e.getMessage();
      return new Outcome(input, new byte[0], reason);
    }
  }

  /** What the command line says goes before what the server said. */
  private Served served(Served served, @Nullable URI given) {
    return new Served(
        given == null ? served.url() : given,
        contentType.isEmpty() ? served.contentType() : contentType,
        served.contentLanguage(),
        given == null ? served.contentLocation() : null);
  }

  private static Status status(String input, Feed feed) {
    Boolean generated = feed.anyGeneratedId() ? true : null;
    return new Status(
        input,
        feed.title(),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        generated);
  }

  /** Whether there was a document to write. */
  private boolean write(Outcome outcome) throws IOException {
    if (outcome.error == null) {
      out.write(outcome.document);
      out.write('\n');
    } else if (format == OutputFormat.JSON) {
      out.write(MAPPER.writeValueAsBytes(new Unreadable(outcome.input, outcome.error)));
      out.write('\n');
    } else {
      spec.commandLine().getErr().println(outcome.input + ": " + outcome.error);
    }
    out.flush();
    return outcome.error == null;
  }
}
