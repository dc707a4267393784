package io.feedbridge.normalizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * {@link NormalizerFuzz} and {@link ScanFuzz} on documents that were hard once, and on feeds with
 * random damage.
 */
class FuzzCorpusTest {
  private static final int MUTATIONS = Samples.of(50);

  private static List<Path> files(String folder) throws IOException, URISyntaxException {
    Path path = Path.of(Objects.requireNonNull(FuzzCorpusTest.class.getResource(folder)).toURI());
    try (Stream<Path> files = Files.list(path)) {
      return files.sorted().toList();
    }
  }

  @TestFactory
  List<DynamicTest> every_document_found_by_fuzzing_is_read_or_refused()
      throws IOException, URISyntaxException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Path file : files("/fuzz")) {
      byte[] document = Files.readAllBytes(file);
      tests.add(
          DynamicTest.dynamicTest(
              file.getFileName().toString(),
              () -> {
                NormalizerFuzz.fuzzerTestOneInput(document);
                ScanFuzz.fuzzerTestOneInput(document);
              }));
    }
    assertThat(tests).isNotEmpty();
    return tests;
  }

  @Test
  void feeds_with_random_damage_are_read_or_refused() throws IOException, URISyntaxException {
    Random random = new Random(42);
    for (Path file : files("/feeds")) {
      byte[] document = Files.readAllBytes(file);
      for (int i = 0; i < MUTATIONS; i++) {
        byte[] damaged = damaged(document, random);
        assertThatCode(() -> NormalizerFuzz.fuzzerTestOneInput(damaged))
            .as(file.getFileName() + " " + i + ": " + new String(damaged, StandardCharsets.UTF_8))
            .doesNotThrowAnyException();
      }
    }
  }

  /** A few bytes changed, or a piece dropped or doubled. */
  private static byte[] damaged(byte[] document, Random random) {
    byte[] damaged = document.clone();
    int at = random.nextInt(document.length);
    int length = Math.min(random.nextInt(60), document.length - at);
    switch (random.nextInt(4)) {
      case 0 -> damaged[at] = (byte) random.nextInt(256);
      case 1 -> damaged[at] = (byte) "<>&\"'/![]{}:=".charAt(random.nextInt(13));
      case 2 -> System.arraycopy(document, at + length, damaged, at, document.length - at - length);
      default ->
          System.arraycopy(document, at, damaged, random.nextInt(document.length - length), length);
    }
    return damaged;
  }
}
