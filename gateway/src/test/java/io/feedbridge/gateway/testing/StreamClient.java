package io.feedbridge.gateway.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Reads a response line by line, for as long as it goes on. */
public final class StreamClient implements AutoCloseable {

  private final HttpResponse<InputStream> response;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private volatile boolean ended;

  /** Reads this response. */
  StreamClient(HttpResponse<InputStream> response) {
    this.response = response;
    Thread reader = new Thread(this::read, "stream-client");
    reader.setDaemon(true);
    reader.start();
  }

  /** GET, with alternating names and values of header fields. */
  public static StreamClient get(String url, String... headers) {
    return new Http().stream(url, headers);
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    } catch (IOException closed) {
      // The test has closed it, or the other side has gone: either way it is over.
    } finally {
      ended = true;
    }
  }

  /** Status and header fields. */
  public HttpResponse<InputStream> response() {
    return response;
  }

  /** All lines so far. */
  public List<String> lines() {
    return lines;
  }

  /** What stands behind a field's name in each line that has that field, so far. */
  public List<String> fields(String name) {
    String prefix = name + ": ";
    return lines.stream()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .toList();
  }

  /** Whether the other side has ended it. */
  public boolean ended() {
    return ended;
  }

  @Override
  public void close() {
    try {
      response.body().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
