package io.feedbridge.gateway.attempts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a disk that is full while the gateway runs does to the record: nothing that lasts. */
class AttemptWriterTest {

  @TempDir Path folder;

  @Test
  void what_could_not_be_written_is_written_once_there_is_room() throws IOException {
    FullDisk disk;
    Attempts.open(folder, Clock.systemUTC()).close();
    Path path = folder.resolve(AttemptFile.NAME);
    disk = new FullDisk(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
    try (Attempts attempts =
        Attempts.over(new AttemptFile(disk), ExchangeFile.open(folder), Clock.systemUTC())) {
      deliver(attempts, 7);
      deliver(attempts, 8);
      await().until(() -> disk.refused.get() > 0);
      deliver(attempts, 9);
      assertThat(Files.size(path)).isEqualTo(AttemptFile.HEADER_BYTES);
      disk.full = false;
    }

    assertThat(disk.isOpen()).isFalse();
    try (Attempts attempts = Attempts.open(folder, Clock.systemUTC())) {
      for (long subscription = 7; subscription <= 9; subscription++) {
        assertThat(attempts.of(subscription))
            .extracting(Attempt::outcome)
            .containsExactly(DeliveryOutcome.DELIVERED);
      }
    }
  }

  private static void deliver(Attempts attempts, long subscription) {
    attempts
        .begin(subscription, 1, 1, Attempt.Kind.ROUND, 10)
        .ended(DeliveryOutcome.DELIVERED, 204);
  }

  /** A file that takes nothing until there is room. */
  private static final class FullDisk extends FileChannel {
    private final FileChannel real;
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean full = true;

    FullDisk(FileChannel real) {
      this.real = real;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      if (full) {
        refused.incrementAndGet();
        throw new IOException("No space left on device");
      }
      return real.write(source, position);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return real.read(target, position);
    }

    @Override
    public long size() throws IOException {
      return real.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
      real.close();
    }

    @Override
    public int read(ByteBuffer target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long newPosition) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void force(boolean metaData) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }
}
