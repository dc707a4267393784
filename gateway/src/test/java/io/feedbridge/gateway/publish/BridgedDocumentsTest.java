package io.feedbridge.gateway.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class BridgedDocumentsTest {

  private static final int ENTRY = 1_000;

  /** Documents of 50 bytes beside their entries. */
  private static int length(int entries, int most) {
    List<Integer> all = Collections.nCopies(entries, ENTRY);
    return BridgedDocuments.bounded(
            all, most, (some, out) -> out.write(new byte[50 + some.size() * ENTRY]))
        .length;
  }

  @Test
  void a_document_within_its_bound_has_all_entries() {
    assertThat(length(100, 100_050)).isEqualTo(100_050);
  }

  @Test
  void a_document_that_escaping_makes_too_long_has_the_newest_entries_alone() {
    assertThat(length(100, 100_049)).isEqualTo(50_050);
    assertThat(length(100, 12_100)).isEqualTo(12_050);
    assertThat(length(1, 999)).isEqualTo(50);
  }

  @Test
  void a_document_without_entries_is_served_whatever_its_length() {
    assertThat(length(100, 10)).isEqualTo(50);
  }
}
