package io.feedbridge.gateway.bench.data;

import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Text with words as frequent as in a language: the word of rank n has one in n of the places of
 * the first word (Zipf).
 */
public final class Prose {

  /** Different words. */
  private static final int WORDS = 50_000;

  /** The rank from which words are rare, as names are. */
  private static final int RARE = 500;

  private final SplittableRandom random;

  /** Text that is the same for the same seed. */
  public Prose(long seed) {
    random = new SplittableRandom(seed);
  }

  /** So many words. */
  public String words(int count) {
    return words(count, 1);
  }

  /** So many words that are rare in a text. */
  public String rare(int count) {
    return words(count, RARE);
  }

  private String words(int count, int from) {
    return IntStream.range(0, count).mapToObj(i -> word(from)).collect(Collectors.joining(" "));
  }

  /** A word of a rank from some rank on. */
  private String word(int from) {
    double rank = from * Math.pow((double) WORDS / from, random.nextDouble());
    return "w" + Integer.toString((int) rank, Character.MAX_RADIX);
  }
}
