package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The subscribers that rounds pass over, each with a cursor of its own. */
public interface Laggards {

  /**
   * Those who miss something and may be tried now, the longest due first.
   *
   * @param busyHosts hosts that can take no more at present; theirs stay where they are
   */
  List<Laggard> due(Instant now, int limit, Set<String> busyHosts);

  /** When the next one is due. */
  Optional<Instant> nextDue();

  /**
   * Marks laggards in flight, with the document that each is about to be sent (rule L12).
   *
   * @param laggards as {@link #due} read them, but for {@link Laggard#sentTo}
   * @return those that were still due; only these may be sent to
   */
  CompletableFuture<List<Laggard>> claim(List<Laggard> laggards);

  /** Records what came of a delivery; nothing if the subscription has ended meanwhile (rule L7). */
  CompletableFuture<Void> settle(Laggard laggard, Instant now);

  /**
   * Where the document ends that the events after a cursor begin: as many as fit its bounds, at
   * least one; the cursor itself if there are none.
   */
  long documentEnd(long feedId, long cursor);

  /** Nothing is in flight any more; for the start, before anything is sent. */
  CompletableFuture<Void> landAll();
}
