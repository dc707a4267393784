package io.feedbridge.gateway.store.sql.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.store.sql.commit.WriteQueue.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** While patient writes come several at a time, they wait for each other. */
@Timeout(300)
class WriteQueueTest {

  private static final int MOST = 4;
  private static final Duration FOR_EVER = Duration.ofDays(1);

  private final WriteQueue<String> queue = new WriteQueue<>(100, FOR_EVER);

  private void patient(String... writes) {
    for (String write : writes) {
      assertThat(queue.offer(write, Lane.PATIENT)).isTrue();
    }
  }

  private List<String> take() throws InterruptedException {
    List<String> batch = new ArrayList<>();
    queue.take(batch, MOST);
    return batch;
  }

  /** Another thread takes a batch; returns once it waits. */
  private Thread taking(CompletableFuture<List<String>> taken) {
    Thread taker =
        new Thread(
            () -> {
              try {
                taken.complete(take());
              } catch (InterruptedException e) {
                taken.completeExceptionally(e);
              }
            });
    taker.start();
    await().until(() -> taker.getState() == Thread.State.TIMED_WAITING);
    return taker;
  }

  @Test
  void a_patient_write_that_comes_alone_does_not_wait() throws Exception {
    patient("a");
    assertThat(take()).containsExactly("a");
    patient("b");
    assertThat(take()).containsExactly("b");
  }

  @Test
  void after_a_batch_of_several_it_waits_for_others_until_a_prompt_one_comes() throws Exception {
    patient("a", "b");
    assertThat(take()).containsExactly("a", "b");
    patient("c");
    CompletableFuture<List<String>> taken = new CompletableFuture<>();
    taking(taken);

    patient("d");
    assertThat(queue.offer("ping", Lane.PROMPT)).isTrue();

    assertThat(taken.join()).containsExactly("ping", "c", "d");
  }

  @Test
  void a_batch_that_is_full_waits_for_none() throws Exception {
    patient("a", "b");
    assertThat(take()).hasSize(2);
    patient("c", "d", "e", "f", "g");
    assertThat(take()).containsExactly("c", "d", "e", "f");
  }

  @Test
  void it_waits_no_longer_than_the_pace() throws Exception {
    WriteQueue<String> quick = new WriteQueue<>(100, Duration.ofMillis(1));
    List<String> batch = new ArrayList<>();
    for (String write : List.of("a", "b", "c")) {
      assertThat(quick.offer(write, Lane.PATIENT)).isTrue();
    }
    quick.take(batch, 2);
    assertThat(batch).containsExactly("a", "b");

    batch.clear();
    quick.take(batch, 2);

    assertThat(batch).containsExactly("c");
  }

  @Test
  void a_writer_that_is_interrupted_while_it_waits_takes_the_writes_afterwards() throws Exception {
    patient("a", "b");
    assertThat(take()).hasSize(2);
    patient("c");
    CompletableFuture<List<String>> taken = new CompletableFuture<>();
    taking(taken).interrupt();
    assertThatThrownBy(taken::join).hasCauseInstanceOf(InterruptedException.class);

    assertThat(queue.offer("last", Lane.PROMPT)).isTrue();

    assertThat(take()).containsExactly("last", "c");
  }
}
