package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The suite on the embedded engine. */
class StopIT extends StopSuite {

  @Override
  String[] options() {
    return RARE_POLLS;
  }

  @Test
  void A_start_is_refused_when_the_store_is_no_database_which_it_leaves_as_it_is()
      throws IOException {
    Path store = data.resolve("feedbridge.db");
    Files.writeString(store, "this is no database, but somebody may want it back".repeat(100));
    byte[] before = Files.readAllBytes(store);
    assertRefused(data, port, data.toString(), "left as it is");
    assertThat(store).hasBinaryContent(before);
  }
}
