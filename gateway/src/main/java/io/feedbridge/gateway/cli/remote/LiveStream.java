package io.feedbridge.gateway.cli.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A gateway's {@code /stream} over any number of connections: each event once, in order. A
 * connection that is lost is opened again behind the last event. One thread reads; any may close.
 */
public final class LiveStream implements AutoCloseable {

  private static final String LINES = "application/x-ndjson";
  private static final String PATH = "/stream";
  private static final String CLOSED = "the gateway has ended it";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final GatewayClient client;
  private final HttpClient http = GatewayClient.streaming();
  private final Patience patience;
  private final List<String> query;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** The last event that was handed on; absent where the gateway does not say where it begins. */
  private @Nullable String last;

  private volatile @Nullable InputStream current;

  /**
   * A stream, which {@link #read} opens.
   *
   * @param query alternating names and values, without {@code after}
   * @param after the event after which to go on; absent to begin with the next event
   */
  public LiveStream(
      GatewayClient client, Patience patience, List<String> query, @Nullable String after) {
    this.client = client;
    this.patience = patience;
    this.query = List.copyOf(query);
    last = after;
  }

  /**
   * How long is waited.
   *
   * @param silence after which a connection is taken for dead; the gateway says something every 15
   *     seconds
   * @param firstPause before a lost connection is opened again; each further one is twice as long
   * @param longestPause where they grow no more
   */
  public record Patience(Duration silence, Duration firstPause, Duration longestPause) {
    public static final Patience USUAL =
        new Patience(Duration.ofSeconds(45), Duration.ofSeconds(1), Duration.ofSeconds(30));
  }

  /** The receiver of a stream's events. */
  public interface Reader {
    /**
     * The next event.
     *
     * @param line as it came
     * @return whether more is wanted
     */
    boolean event(byte[] line, JsonNode document);

    /** The connection is lost, and is opened again after the pause. */
    void lost(String why, Duration pause);

    /** The connection is open again. */
    void resumed();
  }

  /**
   * Hands on events until the reader wants no more, or it is closed.
   *
   * @throws GatewayException if the gateway refuses, or the first connection cannot be opened
   */
  public void read(Reader reader) throws GatewayException {
    ScheduledExecutorService watch =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "silence");
              thread.setDaemon(true);
              return thread;
            });
    try {
      read(reader, watch);
    } finally {
      watch.shutdownNow();
    }
  }

  private void read(Reader reader, ScheduledExecutorService watch) throws GatewayException {
    Duration pause = patience.firstPause;
    boolean lost = false;
    while (!isClosed()) {
      String why;
      try {
        HttpResponse<InputStream> response = open();
        if (lost) {
          reader.resumed();
        }
        pause = patience.firstPause;
        if (!lines(response.body(), reader, watch)) {
          return;
        }
        why = CLOSED;
      } catch (IOException e) {
        why = String.valueOf(e.getMessage());
      } catch (GatewayException e) {
        if (isClosed()) {
          return;
        }
        if (!lost || !e.isPassing()) {
          throw e;
        }
        why = e.reason();
      }
      lost = true;
      if (!isClosed()) {
        reader.lost(PlainText.of(why), pause);
        await(pause);
        pause = shorter(pause.multipliedBy(2), patience.longestPause);
      }
    }
  }

  private HttpResponse<InputStream> open() throws GatewayException {
    List<String> parameters = new ArrayList<>(query);
    if (last != null) {
      parameters.addAll(List.of("after", last));
    }
    HttpResponse<InputStream> response = client.open(http, PATH, LINES, parameters);
    if (response.headers().firstValue("Content-Type").filter(t -> t.startsWith(LINES)).isEmpty()) {
      closeQuietly(response.body());
      throw client.noGateway("its answer is not a stream of events");
    }
    if (last == null) {
      // So that nothing is missed if the connection is lost before the first event.
      last = response.headers().firstValue("Last-Event-ID").orElse(null);
    }
    return response;
  }

  /** Whether the stream came to its end; false if the reader wanted no more events. */
  private boolean lines(InputStream body, Reader reader, ScheduledExecutorService watch)
      throws IOException, GatewayException {
    LineSource lines = new LineSource(body);
    CountDownLatch silent = new CountDownLatch(1);
    Runnable look =
        () -> {
          if (System.nanoTime() - lines.heardAt() > patience.silence.toNanos()) {
            silent.countDown();
            closeQuietly(body);
          }
        };
    long period = Math.max(1, patience.silence.toMillis() / 4);
    var watching = watch.scheduleWithFixedDelay(look, period, period, TimeUnit.MILLISECONDS);
    try (body) {
      current = body;
      // A stream that was closed before this assignment had no body to close.
      for (byte[] line = next(lines); line != null; line = next(lines)) {
        if (line.length > 0 && !take(line, reader)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      if (silent.getCount() == 0) {
        throw new IOException(
            "nothing came for %s s".formatted(patience.silence.toMillis() / 1_000.0), e);
      }
      throw e;
    } finally {
      current = null;
      watching.cancel(false);
    }
  }

  private byte @Nullable [] next(LineSource lines) throws IOException {
    return isClosed() ? null : lines.next();
  }

  private boolean take(byte[] line, Reader reader) throws GatewayException {
    JsonNode document;
    try {
      document = MAPPER.readTree(line);
    } catch (JsonProcessingException e) {
      throw client.noGateway("its stream has a line that is not JSON");
    } catch (IOException e) {
      throw new IllegalStateException("bytes in memory can be read", e);
    }
    boolean more = reader.event(line, document);
    String id = document.path("eventId").asText(document.at("/gap/upTo").asText());
    if (!id.isEmpty()) {
      last = id;
    }
    return more;
  }

  private void await(Duration pause) throws GatewayException {
    try {
      var unused = closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GatewayException("interrupted", false);
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  /** Ends {@link #read}, from whichever thread. */
  @Override
  public void close() {
    closed.countDown();
    InputStream open = current;
    if (open != null) {
      closeQuietly(open);
    }
  }

  private static void closeQuietly(InputStream in) {
    try {
      in.close();
    } catch (IOException e) {
      // It is given up in any case.
    }
  }
}
