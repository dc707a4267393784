package io.feedbridge.gateway.search;

import io.feedbridge.gateway.search.query.Query;
import io.feedbridge.gateway.store.KeptEntries.Ref;
import java.time.Duration;
import java.util.List;

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

  /** Removes entries, in one transaction. */
  void remove(List<Hit> entries);

  /**
   * Finds entries, the newest first.
   *
   * @param skip the newest matches that are left out
   * @param limit of the matches
   * @param most time; then the matches so far are the answer
   */
  Hits find(Query query, int skip, int limit, Duration most);

  /**
   * Entries in the order of their arrival, for a look at whether the store still has them.
   *
   * @param after {@link Hit#id} of the last one before; 0 for the beginning
   */
  List<Hit> entries(long after, int limit);

  /** Forgets all, so that the index is made again. */
  void reset();

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
