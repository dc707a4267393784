package io.feedbridge.gateway.store.sql.move;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The number and the checksum of the rows of a table, in any order: the first 128 bits of the
 * SHA-256 of each row, added up. Not thread-safe.
 */
public final class RowSum {

  private final MessageDigest digest;
  private long rows;
  private long high;
  private long low;

  /** Of no rows. */
  public RowSum() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Adds a row in its {@link RowForm}. */
  void add(byte[] bytes, int length) {
    digest.update(bytes, 0, length);
    byte[] hash = digest.digest();
    high += number(hash, 0);
    low += number(hash, Long.BYTES);
    rows++;
  }

  private static long number(byte[] bytes, int at) {
    long number = 0;
    for (int i = at; i < at + Long.BYTES; i++) {
      number = number << Byte.SIZE | (bytes[i] & 0xff);
    }
    return number;
  }

  /** The number of rows. */
  public long rows() {
    return rows;
  }

  /** The checksum, in hexadecimal digits. */
  public String checksum() {
    return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
  }

  /** Whether both are of the same rows. */
  boolean matches(RowSum other) {
    return rows == other.rows && high == other.high && low == other.low;
  }
}
