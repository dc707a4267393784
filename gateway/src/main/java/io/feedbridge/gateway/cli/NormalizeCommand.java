package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
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
import java.util.concurrent.Semaphore;
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
      "With --format json each document is one line, and an unreadable document is the line"
          + " {\"file\":\"…\",\"error\":\"…\"}. With the other formats the error goes to the"
          + " standard error.",
      "The repairs of a damaged document stand in its \"repairs\"; with the other formats they go to"
          + " the standard error.",
      "A document that the heap has no room for is an error of its own; the others are still read.",
      "It ends with 0 when every document could be read, with 1 when one could not, with 2 when"
          + " the arguments are wrong. URLs are fetched wherever they lead, private networks"
          + " included."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
final class NormalizeCommand implements Callable<Integer> {

  private static final JsonFactory JSON = new JsonFactory();

  private static final int FAILED = 1;

  /** Threads: more than there are processors, since threads that fetch only wait. */
  private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors());

  /** Documents that are read ahead of the one to be written next. */
  private static final int AHEAD = 4 * THREADS;

  private static final long MEGABYTE = 1 << 20;

  /** Bytes of heap for each byte of a document: its text, its tree, the feed and the output. */
  private static final int HEAP_PER_BYTE = 24;

  private static final String TOO_LARGE_FOR_MEMORY =
      "The document takes more memory than there is. A larger heap (java -Xmx1g -jar …) reads it.";

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE|URL|-",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "The documents to read: files, http and https URLs, - for the standard input.")
  private List<String> inputs = new ArrayList<>();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "json",
      converter = OutputFormat.Named.class,
      description = "The output format: ${COMPLETION-CANDIDATES}.")
  private OutputFormat format = OutputFormat.JSON;

  @Option(
      names = "--base",
      paramLabel = "URL",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "The base of relative URLs in a document that names no base. By default it is the URL"
              + " of a fetched document; relative URLs of a file stay relative.")
  private String base = "";

  @Option(
      names = "--content-type",
      paramLabel = "TYPE",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "The Content-Type to read the documents with, for its charset. By default it is the"
              + " Content-Type of the response.")
  private String contentType = "";

  /** Megabytes of heap; each document holds its share while it is read and written. */
  private final int memoryMegabytes =
      (int) Math.max(1, Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / MEGABYTE));

  private final Semaphore memory = new Semaphore(memoryMegabytes, true);

  private final InputStream in;
  private final OutputStream out;
  private final Clock clock;

  NormalizeCommand(InputStream in, OutputStream out, Clock clock) {
    this.in = in;
    this.out = out;
    this.clock = clock;
  }

  /** The outcome of one input: a document, or an error. */
  @SuppressWarnings("ArrayRecordComponent") // carried, never compared
  private record Outcome(
      String input, byte[] document, List<String> repairs, @Nullable String error) {

    static Outcome failed(String input, String error) {
      return new Outcome(input, new byte[0], List.of(), error);
    }
  }

  /**
   * The readers of the inputs; made when the command runs, since other commands need none.
   *
   * @param base the base of relative URLs from the command line
   */
  private record Reading(
      DocumentReader documents,
      @Nullable URI base,
      FeedParser parser,
      LanguageDetector languages) {}

  @Override
  public Integer call() throws InterruptedException {
    URI given = givenBase();
    if (Collections.frequency(inputs, DocumentReader.STDIN) > 1) {
      throw new ParameterException(
          spec.commandLine(), "The standard input (-) can be read once only");
    }
    boolean failed = false;
    ExecutorService workers = Executors.newFixedThreadPool(THREADS);
    try (DocumentReader documents = new DocumentReader(in)) {
      Reading reading = new Reading(documents, given, new FeedParser(), new LanguageDetector());
      Deque<Future<Outcome>> ahead = new ArrayDeque<>();
      for (Iterator<String> next = inputs.iterator(); next.hasNext() || !ahead.isEmpty(); ) {
        while (next.hasNext() && ahead.size() < AHEAD) {
          String input = next.next();
          ahead.add(workers.submit(() -> normalize(input, reading)));
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

  /**
   * Normalizes one input when there is memory for it. One that the heap has no room for beside
   * others is tried again alone, since another one may have filled the heap.
   */
  private Outcome normalize(String input, Reading reading) throws InterruptedException {
    Outcome beside = normalize(input, reading, share(DocumentReader.size(input)));
    Outcome outcome = beside == null ? normalize(input, reading, memoryMegabytes) : beside;
    return outcome == null ? Outcome.failed(input, TOO_LARGE_FOR_MEMORY) : outcome;
  }

  /** Null where it may be tried again alone. */
  private @Nullable Outcome normalize(String input, Reading reading, int share)
      throws InterruptedException {
    memory.acquire(share);
    try {
      return normalized(input, reading);
    } catch (OutOfMemoryError e) {
      boolean alone = memory.availablePermits() + share >= memoryMegabytes;
      // The standard input is read once only
      return alone || input.equals(DocumentReader.STDIN)
          ? Outcome.failed(input, TOO_LARGE_FOR_MEMORY)
          : null;
    } finally {
      memory.release(share);
    }
  }

  /** The share of {@link #memory} for a document of that many bytes, in MiB. */
  private int share(long bytes) {
    return (int) Math.min(memoryMegabytes, 1 + bytes * HEAP_PER_BYTE / MEGABYTE);
  }

  private Outcome normalized(String input, Reading reading) {
    try {
      DocumentReader.Document document = reading.documents().read(input);
      Feed feed =
          reading
              .languages()
              .complete(
                  reading
                      .parser()
                      .parse(document.body(), served(document.served(), reading.base())));
      byte[] written = format.write(feed, status(input, feed), clock.instant());
      return new Outcome(input, written, feed.repairs(), null);
    } catch (IOException | FeedParseException | RuntimeException e) {
      return Outcome.failed(input, e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  /** The command line's values go before the server's. */
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
      unreadable(outcome.input, outcome.error);
      out.write('\n');
    } else {
      spec.commandLine().getErr().println(outcome.input + ": " + outcome.error);
    }
    out.flush();
    if (format != OutputFormat.JSON) {
      for (String repair : outcome.repairs) {
        spec.commandLine().getErr().println(outcome.input + ": repaired: " + repair);
      }
    }
    return outcome.error == null;
  }

  private void unreadable(String input, String error) throws IOException {
    try (JsonGenerator line = JSON.createGenerator(out)) {
      line.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      line.writeStartObject();
      line.writeStringField("file", input);
      line.writeStringField("error", error);
      line.writeEndObject();
    }
  }
}
