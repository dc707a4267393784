package io.feedbridge.gateway.delivery.laggards;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The memory that documents on their way to laggards take. */
class DocumentBytesTest {

  private final DocumentBytes bytes = new DocumentBytes(100, 50);

  @Test
  void a_document_that_goes_to_several_subscribers_counts_once() {
    byte[] shared = new byte[60];
    for (int i = 0; i < 40; i++) {
      assertThat(bytes.take(shared, true)).isTrue();
    }

    assertThat(bytes.room(true)).isEqualTo(40);
    for (int i = 0; i < 40; i++) {
      assertThat(bytes.room(true)).isEqualTo(40);
      bytes.giveBack(shared, true);
    }
    assertThat(bytes.room(true)).isEqualTo(100);
  }

  @Test
  void hosts_that_have_not_proven_themselves_leave_room_for_the_others() {
    List<byte[]> taken = new ArrayList<>();
    byte[] next = new byte[15];
    while (bytes.take(next, false)) {
      taken.add(next);
      next = new byte[15];
    }

    assertThat(taken).hasSize(3);
    assertThat(bytes.room(false)).isEqualTo(5);
    assertThat(bytes.take(new byte[5], false)).as("a small one").isTrue();
    assertThat(bytes.room(true)).isEqualTo(50);
    assertThat(bytes.take(new byte[50], true)).isTrue();
    taken.forEach(one -> bytes.giveBack(one, false));
    assertThat(bytes.room(false)).isEqualTo(45);
  }

  @Test
  void a_document_that_is_larger_than_all_goes_alone() {
    byte[] large = new byte[120];

    assertThat(bytes.take(large, true)).isTrue();
    assertThat(bytes.take(new byte[1], true)).isFalse();
    bytes.giveBack(large, true);
    assertThat(bytes.room(true)).isEqualTo(100);
  }
}
