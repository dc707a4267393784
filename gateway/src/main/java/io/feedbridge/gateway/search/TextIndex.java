package io.feedbridge.gateway.search;

import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.store.sql.feeds.KeptEntries.Ref;
import java.time.Duration;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * The index over the words of entries, of any engine. It repeats the entries of the store, so that
 * a lost index is made again. One thread writes; any number of threads read. All methods block, and
 * throw a {@link io.feedbridge.gateway.store.StoreException} where the index fails.
 */
public interface TextIndex extends AutoCloseable {

  /** Events of the log up to here are in the index; negative for an index without any entry. */
  long position();

  /**
   * Adds entries and moves the position, in one transaction. An entry takes the place of an earlier
   * version; an older version than the one that is there is ignored.
   *
   * @param position that {@link #position} is from now on
   */
  void add(List<IndexedEntry> entries, long position);

  /**
   * Takes the index for a store. An index of another store is made again, and so is one to which
   * the store has not been written alone since: another process has opened the store, or an older
   * state of the store was restored.
   *
   * @param store names the store, also after it was restored
   * @param epoch of the process that has opened the store
   * @param head the newest number of its log
   */
  void adopt(String store, long epoch, long head);

  /** Times that the index was made again since the start. Does not block. */
  long remade();

  /** Removes entries, in one transaction. */
  void remove(List<Hit> entries);

  /** Entries of events up to here were compared with the store after the events left the log. */
  long trimmed();

  /**
   * Entries of events behind {@link #trimmed}, in the order of the events.
   *
   * @param upTo the newest event
   */
  List<Hit> leaving(long upTo, int limit);

  /**
   * Removes entries and moves {@link #trimmed}, in one transaction.
   *
   * @param upTo that {@link #trimmed} is from now on
   */
  void trim(List<Hit> gone, long upTo);

  /**
   * Finds entries, the newest first.
   *
   * @param hidden feeds whose entries count as no matches
   * @param skip the newest matches that are left out
   * @param limit of the matches
   * @param most time; then the matches so far are the answer
   */
  Hits find(Query query, LongPredicate hidden, int skip, int limit, Duration most);

  /**
   * Entries in the order of their arrival, for a look at whether the store still has them.
   *
   * @param after {@link Hit#id} of the last one before; 0 for the beginning
   */
  List<Hit> entries(long after, int limit);

  @Override
  void close();

  /**
   * An entry in the index.
   *
   * @param id grows with the time of arrival
   */
  record Hit(long id, Ref ref) {}

  /**
   * The result of a search.
   *
   * @param complete whether the whole index was searched, or more matches than asked for were found
   */
  record Hits(List<Hit> hits, boolean complete) {
    public Hits {
      hits = List.copyOf(hits);
    }
  }
}
