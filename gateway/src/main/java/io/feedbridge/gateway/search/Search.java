package io.feedbridge.gateway.search;

import io.feedbridge.gateway.search.TextIndex.Hit;
import io.feedbridge.gateway.search.TextIndex.Hits;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.store.KeptEntries;
import io.feedbridge.gateway.store.KeptEntries.Found;
import io.feedbridge.gateway.store.KeptEntries.Ref;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Answers queries, on threads of its own and within a bounded time. Thread-safe. */
public final class Search {

  /** Threads that search; they block. */
  public static final int THREADS = 2;

  /** Searches that wait for a thread; one more is refused. */
  public static final int QUEUE = 32;

  /** The time of one search; then the matches so far are the answer. */
  public static final Duration MAX_TIME = Duration.ofSeconds(1);

  /** Matches that can be reached by paging; a narrower query finds older ones. */
  public static final int MAX_RESULTS = 10_000;

  /** Entries of one page. */
  public static final int MAX_PAGE = 100;

  /** Entries of one page, unless another number is asked for. */
  public static final int PAGE = 20;

  private final TextIndex index;
  private final KeptEntries entries;
  private final Executor executor;

  /**
   * A search in an index.
   *
   * @param executor with {@link #THREADS} threads and room for {@link #QUEUE} tasks
   */
  public Search(TextIndex index, KeptEntries entries, Executor executor) {
    this.index = index;
    this.entries = entries;
    this.executor = executor;
  }

  /**
   * A page of results.
   *
   * @param entries the newest first; fewer than asked for where some have just left the store
   * @param more whether older matches follow
   * @param complete false if the time was over before all was searched
   */
  public record Result(List<Found> entries, boolean more, boolean complete) {
    public Result {
      entries = List.copyOf(entries);
    }
  }

  /**
   * Finds entries.
   *
   * @param page from 1; page times size is at most {@link #MAX_RESULTS}
   * @param size 1 to {@link #MAX_PAGE}
   * @throws java.util.concurrent.RejectedExecutionException if too many searches wait
   */
  public CompletableFuture<Result> find(Query query, int page, int size) {
    return CompletableFuture.supplyAsync(
        () -> {
          Hits hits = index.find(query, (page - 1) * size, size + 1, MAX_TIME);
          List<Ref> refs = hits.hits().stream().limit(size).map(Hit::ref).toList();
          Map<Ref, Found> found = entries.find(refs);
          return new Result(
              refs.stream().map(found::get).filter(Objects::nonNull).toList(),
              hits.hits().size() > size,
              hits.complete());
        },
        executor);
  }
}
