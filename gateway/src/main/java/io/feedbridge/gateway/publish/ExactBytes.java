package io.feedbridge.gateway.publish;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * The memory of a document while it is written: one array of its exact length. The document is
 * written twice, the first time to learn its length, because a buffer that grows takes up to four
 * times the document's bytes. Not thread-safe.
 */
final class ExactBytes extends OutputStream {

  private final byte[] bytes;
  private int length;

  private ExactBytes(int length) {
    bytes = new byte[length];
  }

  /** Writes a document, the same bytes each time. */
  @FunctionalInterface
  interface Writer {
    void write(OutputStream out) throws IOException;
  }

  /**
   * The document.
   *
   * @param most bytes of it
   * @return empty if it is longer; writing ends at that byte
   */
  static Optional<byte[]> of(int most, Writer writer) {
    Length length = new Length(most);
    try {
      writer.write(length);
      ExactBytes exact = new ExactBytes((int) length.bytes);
      writer.write(exact);
      if (exact.length < exact.bytes.length) {
        throw new IllegalStateException("a document was written in two lengths");
      }
      return Optional.of(exact.bytes);
    } catch (IOException e) {
      if (length.bytes > most) {
        return Optional.empty();
      }
      throw new UncheckedIOException("an array does not fail", e);
    }
  }

  @Override
  public void write(int one) {
    bytes[length] = (byte) one;
    length++;
  }

  @Override
  public void write(byte[] some, int offset, int count) {
    System.arraycopy(some, offset, bytes, length, count);
    length += count;
  }

  /** Counts, and keeps nothing. */
  private static final class Length extends OutputStream {
    private final int most;
    private long bytes;

    Length(int most) {
      this.most = most;
    }

    @Override
    public void write(int one) throws IOException {
      add(1);
    }

    @Override
    public void write(byte[] some, int offset, int count) throws IOException {
      add(count);
    }

    private void add(int count) throws IOException {
      bytes += count;
      if (bytes > most) {
        throw new IOException("longer than " + most + " bytes");
      }
    }
  }
}
