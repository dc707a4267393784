package io.feedbridge.gateway.search;

import io.feedbridge.gateway.admission.Turns;
import io.feedbridge.gateway.search.TextIndex.Hit;
import io.feedbridge.gateway.search.TextIndex.Hits;
import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Found;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Ref;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;

/** Answers queries, on threads of its own and within a bounded time. Thread-safe. */
public final class Search {

  /** Threads that search; they block. One caller has fewer at once. */
  public static final int THREADS = 2;

  /** Searches of one caller that run, or wait for a thread, at once. */
  static final int MAX_OF_ONE = 1;

  /** Searches of one caller that wait behind these; one more is refused. */
  static final int WAITING_OF_ONE = 32;

  /** Searches of all callers that wait so. */
  static final int MAX_WAITING = 1_024;

  /** Callers with a search that waits for a thread. */
  public static final int QUEUE = 256;

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
  private final Turns turns;

  /**
   * A search in an index.
   *
   * @param executor with {@link #THREADS} threads and room for {@link #QUEUE} tasks
   */
  public Search(TextIndex index, KeptEntries entries, Executor executor) {
    this.index = index;
    this.entries = entries;
    turns = new Turns(MAX_OF_ONE, WAITING_OF_ONE, MAX_WAITING, executor);
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

  /** {@link #find} for a caller that may be given the entries of every feed. */
  public CompletableFuture<Result> find(String caller, Query query, int page, int size) {
    return find(caller, query, feed -> false, page, size);
  }

  /**
   * Finds entries.
   *
   * @param caller the key of the caller, with a share of the threads
   * @param hidden feeds whose entries count as no matches; never blocks, and is thread-safe
   * @param page from 1; page times size is at most {@link #MAX_RESULTS}
   * @param size 1 to {@link #MAX_PAGE}
   * @return fails with {@link java.util.concurrent.RejectedExecutionException} if too many searches
   *     wait, of the caller or of all
   */
  public CompletableFuture<Result> find(
      String caller, Query query, LongPredicate hidden, int page, int size) {
    return turns.supply(
        caller,
        () -> {
          Hits hits = index.find(query, hidden, (page - 1) * size, size + 1, MAX_TIME);
          List<Ref> refs = hits.hits().stream().limit(size).map(Hit::ref).toList();
          Map<Ref, Found> found = entries.find(refs);
          return new Result(
              refs.stream().map(found::get).filter(Objects::nonNull).toList(),
              hits.hits().size() > size,
              hits.complete());
        });
  }
}
