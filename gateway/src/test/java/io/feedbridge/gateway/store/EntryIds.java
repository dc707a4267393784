package io.feedbridge.gateway.store;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Ids that feeds give their entries. */
public final class EntryIds {

  private static final List<String> ALPHABET =
      List.of("a", "7", ":", "é", "漢", "\ud83d\ude80", " ", "%", "'");

  private EntryIds() {}

  /** Ids of any length up to 4 KB and beyond, the bound of kept ids among them. */
  public static Stream<String> any() {
    Random random = new Random(7);
    Stream<String> drawn =
        IntStream.of(0, 1, 2, 20, 300, 509, 511, 512, 513, 700, 4_096, 70_000)
            .mapToObj(
                length -> {
                  StringBuilder id = new StringBuilder();
                  while (id.length() < length) {
                    id.append(ALPHABET.get(random.nextInt(ALPHABET.size())));
                  }
                  return id.toString();
                });
    return Stream.concat(
        drawn,
        Stream.of("1", "1:1", "\u0001", "sha256:" + "0".repeat(64), "sha256:" + "z".repeat(64)));
  }
}
