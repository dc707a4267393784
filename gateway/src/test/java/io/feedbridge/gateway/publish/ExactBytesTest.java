package io.feedbridge.gateway.publish;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ExactBytesTest {

  private static final byte[] PIECE = "a piece of a document".repeat(50).getBytes(US_ASCII);
  private static final int PIECES = 8_000;
  private static final int LENGTH = PIECES * PIECE.length;

  private static Optional<byte[]> document(int most) {
    return ExactBytes.of(
        most,
        out -> {
          for (int i = 0; i < PIECES; i++) {
            out.write(PIECE);
          }
        });
  }

  @Test
  void writing_a_document_takes_the_memory_of_its_bytes_and_hardly_more() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    Optional<byte[]> document = document(LENGTH);
    long taken = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(document.orElseThrow()).hasSize(LENGTH).endsWith(PIECE);
    assertThat(taken).isBetween((long) LENGTH, LENGTH + LENGTH / 10L);
  }

  @Test
  void a_document_past_its_bound_is_given_up_there_and_takes_no_memory() {
    AtomicInteger written = new AtomicInteger();
    Optional<byte[]> document =
        ExactBytes.of(
            10 * PIECE.length,
            out -> {
              for (int i = 0; i < PIECES; i++) {
                out.write(PIECE);
                written.incrementAndGet();
              }
            });

    assertThat(document).isEmpty();
    assertThat(written).hasValue(10);
    assertThat(document(LENGTH - 1)).isEmpty();
  }

  @Test
  void a_document_that_differs_when_it_is_written_again_is_a_defect() {
    AtomicInteger time = new AtomicInteger();
    assertThatThrownBy(
            () -> ExactBytes.of(9, out -> out.write(new byte[9 - time.getAndIncrement()])))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("two lengths");
  }
}
