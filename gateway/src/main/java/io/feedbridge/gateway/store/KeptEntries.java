package io.feedbridge.gateway.store;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * All entries that the store has, in the log or as the newest of a feed, for an index over them.
 */
public interface KeptEntries {

  /**
   * The place of an entry.
   *
   * @param seq the event that brought it; absent for an entry that existed when following began
   */
  record Ref(EntryKey key, @Nullable Long seq) {}

  /**
   * An entry with its feed.
   *
   * @param fields the feed's own, as far as they are known
   */
  record Found(FollowedFeed feed, Feed fields, Entry entry) {}

  /** A feed whose first entries are to be indexed, under a number that is not used again. */
  record Due(long id, long feedId) {}

  /** Feeds whose first entries are to be indexed. */
  List<Due> due(int limit);

  /** These were indexed. */
  CompletableFuture<Void> done(List<Due> indexed);

  /** Makes all feeds due, for an index that begins anew. */
  CompletableFuture<Void> allDue();

  /**
   * Finds entries in their newest version; an entry that the store has no more, or that its feed
   * has removed, is left out.
   */
  Map<Ref, Found> find(List<Ref> refs);

  /** Of these the entries that the store has no more, or that their feeds have removed. */
  Set<Ref> gone(List<Ref> refs);
}
