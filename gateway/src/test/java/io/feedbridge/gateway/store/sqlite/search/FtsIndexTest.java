package io.feedbridge.gateway.store.sqlite.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.search.TextIndex;
import io.feedbridge.gateway.search.TextIndexContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FtsIndexTest extends TextIndexContract {

  @TempDir Path folder;

  @Override
  protected TextIndex open() {
    return FtsIndex.open(folder);
  }

  @Test
  void a_file_that_is_no_index_is_made_again() throws IOException {
    index.close();
    Files.writeString(folder.resolve("feedbridge-search.db"), "no database".repeat(1_000));

    index = open();

    assertThat(index.position()).isNegative();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"NEAR(a b)", "^a", "words : a", "{labels} a", "a + b", "a \" OR 1\"", "a' x--"})
  void nothing_in_a_query_is_read_as_the_engines_own_language(String query) {
    assertThat(find(query, 0, 10).hits()).isEmpty();
  }
}
