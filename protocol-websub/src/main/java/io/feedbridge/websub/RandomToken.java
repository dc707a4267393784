package io.feedbridge.websub;

import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** Unguessable strings: challenges, secrets and the last part of callbacks. */
public final class RandomToken {
  private static final int LENGTH_IN_BYTES = 20;

  private RandomToken() {}

  /**
   * 160 random bits as 40 hexadecimal digits.
   *
   * @param random a {@link java.security.SecureRandom}, save in tests
   */
  public static String next(RandomGenerator random) {
    byte[] bytes = new byte[LENGTH_IN_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
