package io.feedbridge.gateway.attempts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of the sets: a header, then each set at its place. It grows as sets come into use and is
 * never forced to disk: after a power cut it holds the pages that the kernel had written, and a
 * check over each attempt shows which attempts are whole. For one thread at a time.
 */
final class AttemptFile implements AutoCloseable {

  static final String NAME = "attempts.ring";

  /** Where a file that cannot be read is moved; only the last one is kept. */
  static final String SET_ASIDE = NAME + ".damaged";

  /** Raised with every change of {@link Fields} or of the geometry. */
  static final int VERSION = 1;

  private static final long MAGIC = 0x4642_4154_5445_4d50L; // FBATTEMP

  /** A page, so that no set lies across two. */
  static final int HEADER_BYTES = 4_096;

  static final int SET_BYTES = AttemptSet.WORDS * Long.BYTES;

  /** Sets that are read or written at once. */
  private static final int SETS_AT_ONCE = 64;

  private static final Logger log = LoggerFactory.getLogger(AttemptFile.class);

  private final FileChannel channel;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(SETS_AT_ONCE * SET_BYTES).order(ByteOrder.LITTLE_ENDIAN);

  /** Over a file that has a good header already; for {@link #open}, and for tests. */
  AttemptFile(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Opens the file of a folder, or makes one that only its owner may read. A file that is damaged
   * or of another version is set aside.
   */
  static AttemptFile open(Path folder) throws IOException {
    Path path = folder.resolve(NAME);
    AttemptFile file = new AttemptFile(channel(path));
    try {
      if (file.channel.size() > 0 && !file.hasGoodHeader()) {
        file.close();
        Path aside = folder.resolve(SET_ASIDE);
        Files.move(path, aside, StandardCopyOption.REPLACE_EXISTING);
        log.atWarn()
            .addKeyValue("file", aside)
            .log("The record of attempts is damaged or of another version: it begins anew");
        file = new AttemptFile(channel(path));
      }
      if (file.channel.size() == 0) {
        file.writeHeader();
      }
      return file;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** Opens a file, or makes one that only its owner may read. */
  static FileChannel channel(Path path) throws IOException {
    boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] ownerOnly =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    return FileChannel.open(
        path,
        Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
        ownerOnly);
  }

  private static ByteBuffer header() {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(MAGIC).putInt(VERSION).putInt(Attempts.SETS).putInt(SET_BYTES);
    return header.rewind();
  }

  private void writeHeader() throws IOException {
    write(header(), 0);
  }

  private boolean hasGoodHeader() throws IOException {
    ByteBuffer found = ByteBuffer.allocate(HEADER_BYTES);
    read(found, 0);
    return found.flip().equals(header());
  }

  /**
   * Reads all sets that are there.
   *
   * @param changed is called for each set that differs now from the file
   * @return the id of the newest attempt; 0 if there is none
   */
  long load(AtomicReferenceArray<@Nullable AttemptSet> sets, IntConsumer changed)
      throws IOException {
    long newest = 0;
    int damaged = 0;
    for (int first = 0; first < sets.length(); first += SETS_AT_ONCE) {
      buffer.clear().limit(Math.min(SETS_AT_ONCE, sets.length() - first) * SET_BYTES);
      read(buffer, position(first));
      buffer.flip();
      // The last set may have been cut short, by a disk that was full.
      for (int i = first; buffer.remaining() >= SET_BYTES; i++) {
        ByteBuffer words = buffer.slice(buffer.position(), SET_BYTES).order(buffer.order());
        buffer.position(buffer.position() + SET_BYTES);
        AttemptSet set = new AttemptSet(i);
        AttemptSet.Loaded loaded = set.readFrom(words.asLongBuffer(), sets.length());
        newest = Math.max(newest, loaded.newest());
        damaged += loaded.damaged();
        if (loaded.newest() > 0 || loaded.damaged() > 0) {
          sets.set(i, set);
        }
        if (loaded.changed()) {
          changed.accept(i);
        }
      }
    }
    if (damaged > 0) {
      log.atWarn()
          .addKeyValue("attempts", damaged)
          .log("A part of the record of attempts is damaged and left out");
    }
    return newest;
  }

  /**
   * Begins to write sets that lie side by side.
   *
   * @param first the index of the first of them
   */
  Batch batchAt(int first) {
    buffer.clear();
    return new Batch(first);
  }

  /** Sets that are written at once. */
  final class Batch {
    private final int first;
    private int count;

    private Batch(int first) {
      this.first = first;
    }

    /** Whether it takes this set: the set must be the next in the file, and the batch not full. */
    boolean takes(int index) {
      return count < SETS_AT_ONCE && index == first + count;
    }

    void add(AttemptSet set) {
      int at = buffer.position();
      set.writeTo(buffer.slice(at, SET_BYTES).order(buffer.order()).asLongBuffer());
      buffer.position(at + SET_BYTES);
      count++;
    }

    /** The index after the last set. */
    int end() {
      return first + count;
    }

    void write() throws IOException {
      AttemptFile.this.write(buffer.flip(), position(first));
    }
  }

  private static long position(int set) {
    return HEADER_BYTES + (long) set * SET_BYTES;
  }

  /** Fills the buffer, unless the file ends before. */
  private void read(ByteBuffer target, long position) throws IOException {
    long at = position;
    int count;
    while (target.hasRemaining() && (count = channel.read(target, at)) >= 0) {
      at += count;
    }
  }

  private void write(ByteBuffer source, long position) throws IOException {
    long at = position;
    while (source.hasRemaining()) {
      at += channel.write(source, at);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
