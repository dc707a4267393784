package io.feedbridge.gateway.cli.remote;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Lines of bytes, each as soon as it is there. Not thread-safe, but for {@link #heardAt}. */
final class LineSource {

  /**
   * The longest line, in bytes: an event is one document, and documents have bounds of their own.
   */
  static final int MAX_LINE = 64 << 20;

  private static final int BUFFER = 16 << 10;

  private final InputStream in;
  private final byte[] buffer = new byte[BUFFER];
  private int from;
  private int to;
  private volatile long heardAt = System.nanoTime();

  LineSource(InputStream in) {
    this.in = in;
  }

  /** The {@link System#nanoTime} at which something came last. */
  long heardAt() {
    return heardAt;
  }

  /**
   * The next line without its break; absent at the end. A last line without a break was cut off,
   * and is no line.
   *
   * @throws IOException also if the line is longer than {@link #MAX_LINE}
   */
  byte @Nullable [] next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      for (int i = from; i < to; i++) {
        if (buffer[i] == '\n') {
          line.write(buffer, from, i - from);
          from = i + 1;
          return line.toByteArray();
        }
      }
      line.write(buffer, from, to - from);
      from = 0;
      to = 0;
      if (line.size() > MAX_LINE) {
        throw new IOException("a line has more than %,d bytes".formatted(MAX_LINE));
      }
      int read = in.read(buffer);
      if (read < 0) {
        return null;
      }
      to = read;
      heardAt = System.nanoTime();
    }
  }
}
