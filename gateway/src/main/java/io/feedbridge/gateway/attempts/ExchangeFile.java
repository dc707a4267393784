package io.feedbridge.gateway.attempts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file of exchanges: {@value #SLOTS} places for each of {@value #SETS} sets of subscriptions. A
 * subscription has a set of its own as long as there are not more of them, so that none can push
 * out the exchanges of another. A check over each place shows which are whole.
 *
 * <p>Safe for use by several threads, of which one writes. Exchanges that wait to be written are in
 * memory: one for each set, the newest.
 */
final class ExchangeFile implements AutoCloseable {

  static final String NAME = "exchanges.ring";

  /** Subscriptions whose exchanges are kept apart. */
  static final int SETS = 1 << 10;

  /** Exchanges of a set; the oldest is replaced. */
  static final int SLOTS = 4;

  static final int SLOT_BYTES = 8 << 10;

  private static final int MAGIC = 0x4642_5831; // FBX1

  private static final int HEAD_BYTES = 3 * Integer.BYTES + 3 * Long.BYTES;

  /** Bytes of an exchange. */
  static final int MAX_BYTES = SLOT_BYTES - HEAD_BYTES;

  private static final Comparator<Kept> AGE =
      Comparator.comparingLong(Kept::atMillis).thenComparingLong(Kept::attempt);

  private final FileChannel channel;
  private final Map<Integer, Kept> waiting = new ConcurrentHashMap<>();

  private ExchangeFile(FileChannel channel) {
    this.channel = channel;
  }

  static ExchangeFile open(Path folder) throws IOException {
    return new ExchangeFile(AttemptFile.channel(folder.resolve(NAME)));
  }

  /**
   * An exchange and its attempt.
   *
   * @param atMillis when the attempt began: a record of attempts that begins anew uses ids again
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  record Kept(long attempt, long subscription, long atMillis, byte[] json) {

    private int set() {
      return Math.floorMod(subscription, SETS);
    }

    private ByteBuffer slot() {
      ByteBuffer slot = ByteBuffer.allocate(HEAD_BYTES + json.length);
      slot.putInt(MAGIC).putInt(0).putInt(json.length);
      slot.putLong(attempt).putLong(subscription).putLong(atMillis).put(json).flip();
      return slot.putInt(Integer.BYTES, check(slot));
    }

    /** Reads a slot; empty for one that has no whole exchange. */
    private static Optional<Kept> of(ByteBuffer slot) {
      if (slot.remaining() < HEAD_BYTES || slot.getInt() != MAGIC) {
        return Optional.empty();
      }
      int check = slot.getInt();
      int length = slot.getInt();
      if (length < 0 || length > slot.remaining() - 3 * Long.BYTES) {
        return Optional.empty();
      }
      Kept kept = new Kept(slot.getLong(), slot.getLong(), slot.getLong(), new byte[length]);
      slot.get(kept.json);
      return check(slot.flip()) == check ? Optional.of(kept) : Optional.empty();
    }

    /** Over all that stands behind the check itself. */
    private static int check(ByteBuffer slot) {
      CRC32C crc = new CRC32C();
      crc.update(slot.duplicate().position(2 * Integer.BYTES));
      return (int) crc.getValue();
    }
  }

  /** Has an exchange written soon; in place of one of its set that still waits for that. */
  void keep(Kept kept) {
    waiting.put(kept.set(), kept);
  }

  boolean isWaiting() {
    return !waiting.isEmpty();
  }

  /** Writes all that wait; one that cannot be written goes on waiting. */
  void write() throws IOException {
    for (Map.Entry<Integer, Kept> one : Map.copyOf(waiting).entrySet()) {
      ByteBuffer slot = one.getValue().slot();
      long position = place(one.getKey(), oldest(one.getKey()));
      while (slot.hasRemaining()) {
        position += channel.write(slot, position);
      }
      waiting.remove(one.getKey(), one.getValue());
    }
  }

  /** The place of a set that is missed least. */
  private int oldest(int set) throws IOException {
    int oldest = 0;
    @Nullable Kept found = null;
    for (int slot = 0; slot < SLOTS; slot++) {
      Optional<Kept> one = read(set, slot);
      if (one.isEmpty()) {
        return slot;
      }
      if (found == null || AGE.compare(one.get(), found) < 0) {
        oldest = slot;
        found = one.get();
      }
    }
    return oldest;
  }

  /** The exchange of an attempt, as long as it is kept. Reads the file. */
  Optional<byte[]> find(Attempt attempt) throws IOException {
    int set = Math.floorMod(attempt.subscriptionId(), SETS);
    Optional<Kept> found = Optional.ofNullable(waiting.get(set)).filter(one -> isOf(attempt, one));
    for (int slot = 0; slot < SLOTS && found.isEmpty(); slot++) {
      found = read(set, slot).filter(one -> isOf(attempt, one));
    }
    return found.map(Kept::json);
  }

  private static boolean isOf(Attempt attempt, Kept one) {
    return one.attempt == attempt.id()
        && one.subscription == attempt.subscriptionId()
        && one.atMillis == attempt.at().toEpochMilli();
  }

  private static long place(int set, int slot) {
    return ((long) set * SLOTS + slot) * SLOT_BYTES;
  }

  private Optional<Kept> read(int set, int slot) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SLOT_BYTES);
    long position = place(set, slot);
    int count;
    while (bytes.hasRemaining() && (count = channel.read(bytes, position)) >= 0) {
      position += count;
    }
    return Kept.of(bytes.flip());
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
