package io.feedbridge.gateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.search.query.QueryParser;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.store.sqlite.search.FtsIndex;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers share the threads of searches. */
class SearchTest {

  @TempDir Path folder;

  /** The searches that have a thread, or wait for one. */
  private final Deque<Runnable> threads = new ArrayDeque<>();

  private SqliteBackend backend;
  private FtsIndex index;
  private Search search;

  @BeforeEach
  void start() {
    backend = new SqliteBackend(folder);
    index = FtsIndex.open(folder);
    search = new Search(index, backend.store().entries(), this::execute);
  }

  @AfterEach
  void stop() {
    index.close();
    backend.close();
  }

  private void execute(Runnable task) {
    if (threads.size() >= Search.THREADS + Search.QUEUE) {
      throw new RejectedExecutionException("full");
    }
    threads.add(task);
  }

  private CompletableFuture<Search.Result> find(String caller) {
    try {
      return search.find(caller, QueryParser.parse("word"), 1, 10);
    } catch (Exception e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private List<CompletableFuture<Search.Result>> attack() {
    return IntStream.range(0, 1_000).mapToObj(i -> find("attacker")).toList();
  }

  @Test
  void searches_of_one_caller_leave_a_thread_to_others() {
    var attack = attack();

    CompletableFuture<Search.Result> other = find("other");

    assertThat(other).as("it is not refused").isNotCompletedExceptionally();
    assertThat(threads).as("searches before and with that of the other").hasSize(2);
    threads.removeLast().run();
    assertThat(other).isCompleted();
    assertThat(attack).filteredOn(one -> !one.isDone()).isNotEmpty();
  }

  @Test
  void callers_take_turns() {
    var attack = attack();
    List<CompletableFuture<Search.Result>> others =
        IntStream.range(0, 5).mapToObj(i -> find("other-" + i)).toList();

    for (int i = 0; i <= 5; i++) {
      threads.remove().run();
    }

    assertThat(others).allMatch(one -> one.isDone() && !one.isCompletedExceptionally());
    assertThat(attack).filteredOn(one -> !one.isDone()).isNotEmpty();
  }

  @Test
  void searches_of_one_caller_beyond_its_share_are_refused() {
    assertThat(attack().stream().filter(CompletableFuture::isDone).toList())
        .isNotEmpty()
        .allSatisfy(
            refused ->
                assertThat(refused)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(RejectedExecutionException.class));
  }
}
