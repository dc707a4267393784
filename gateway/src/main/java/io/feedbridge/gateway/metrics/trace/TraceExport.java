package io.feedbridge.gateway.metrics.trace;

import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to a collector, by OTLP over HTTP in JSON, on a thread of its own. A collector that
 * is slow or away costs spans, and nothing else. Thread-safe.
 */
public final class TraceExport implements AutoCloseable {

  /** Spans that wait to be sent; further ones are dropped and counted. */
  public static final int MAX_WAITING = 8_192;

  /** Spans of one request. */
  static final int MAX_SENT = 512;

  private static final Logger log = LoggerFactory.getLogger(TraceExport.class);

  /** How long spans are gathered for one request. */
  private static final Duration GATHERED = Duration.ofSeconds(1);

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration AT_THE_END = Duration.ofSeconds(2);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final int MAX_TRIES = 5;
  private static final int FIRST_FAILURE = 300;

  /** The answers after which a request is worth repeating (OTLP 1.0, "Failures"). */
  private static final Set<Integer> LATER = Set.of(429, 502, 503, 504);

  private final BlockingQueue<Span> waiting = new LinkedBlockingQueue<>(MAX_WAITING);
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final URI url;
  private final String version;
  private final Meters.Counts<Fate> spans;
  private final Thread thread = new Thread(this::run, "traces");
  private volatile boolean closed;
  private boolean troubled;

  /** The ends of spans. */
  private enum Fate {
    SENT,
    DROPPED
  }

  private TraceExport(URI url, String version, Meters meters) {
    this.url = url;
    this.version = version;
    spans =
        meters.counts("feedbridge.trace.spans", "Spans of traces, by their end", "end", Fate.class);
    thread.setDaemon(true);
  }

  /**
   * Starts to send.
   *
   * @param url of the collector, such as http://127.0.0.1:4318/v1/traces
   * @param version of the gateway
   */
  public static TraceExport to(URI url, String version, Meters meters) {
    TraceExport export = new TraceExport(url, version, meters);
    export.thread.start();
    return export;
  }

  /** The traces that are sent. */
  public Traces traces(URI gateway, int percent, Clock clock) {
    return new Traces(gateway.toString(), percent, this::add, clock);
  }

  private void add(Span span) {
    if (!waiting.offer(span)) {
      spans.add(Fate.DROPPED);
    }
  }

  private void run() {
    try {
      while (!closed || !waiting.isEmpty()) {
        List<Span> batch = gathered();
        if (!batch.isEmpty()) {
          Fate fate = deliver(batch) ? Fate.SENT : Fate.DROPPED;
          batch.forEach(span -> spans.add(fate));
        }
      }
    } catch (InterruptedException stopping) {
      // The gateway does not wait for a collector.
      log.atDebug().addKeyValue("spans", waiting.size()).log("Traces are left unsent at the stop");
    }
  }

  private List<Span> gathered() throws InterruptedException {
    List<Span> batch = new ArrayList<>();
    long until = System.nanoTime() + GATHERED.toNanos();
    for (long left = GATHERED.toNanos();
        left > 0 && batch.size() < MAX_SENT;
        left = until - System.nanoTime()) {
      Span next = waiting.poll(closed ? 0 : left, TimeUnit.NANOSECONDS);
      if (next != null) {
        batch.add(next);
      } else if (closed) {
        break;
      }
    }
    return batch;
  }

  private boolean deliver(List<Span> batch) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .timeout(closed ? AT_THE_END : TIMEOUT)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(Body.of(batch, version))))
            .build();
    Duration pause = FIRST_PAUSE;
    for (int tries = 1; ; tries++) {
      String trouble;
      boolean again;
      try {
        int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status < FIRST_FAILURE) {
          tell(false, "");
          return true;
        }
        trouble = "HTTP " + status;
        again = LATER.contains(status);
      } catch (IOException e) {
        trouble = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        again = true;
      }
      tell(true, trouble);
      if (!again || closed || tries == MAX_TRIES) {
        return false;
      }
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      pause = pause.multipliedBy(2);
    }
  }

  /** The log has the beginning and the end of a trouble. */
  private void tell(boolean trouble, String reason) {
    if (trouble && !troubled) {
      log.atWarn()
          .addKeyValue("collector", url)
          .addKeyValue("reason", reason)
          .log("Traces cannot be sent: look at the collector of --otlp");
    } else if (!trouble && troubled) {
      log.atInfo().addKeyValue("collector", url).log("Traces are sent again");
    }
    troubled = trouble;
  }

  /** Sends the spans that wait, as far as the collector takes them at once. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(AT_THE_END.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.interrupt();
  }

  /** The message of OTLP, ExportTraceServiceRequest. */
  private record Body(List<Resource> resourceSpans) {

    record Resource(Described resource, List<Scope> scopeSpans) {}

    record Described(List<Span.Attribute> attributes) {}

    record Scope(Named scope, List<Span> spans) {}

    record Named(String name) {}

    static Body of(List<Span> batch, String version) {
      return new Body(
          List.of(
              new Resource(
                  new Described(
                      Span.attributes("service.name", "feedbridge", "service.version", version)),
                  List.of(new Scope(new Named("feedbridge"), batch)))));
    }
  }
}
