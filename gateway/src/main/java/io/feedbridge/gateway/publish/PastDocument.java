package io.feedbridge.gateway.publish;

import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrAtom;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.time.Instant;
import java.util.List;

/**
 * Past entries with the status of their feed. Immutable.
 *
 * @param feed with these entries, the newest first
 * @param firstSeen the time of entries that have none
 */
public record PastDocument(Feed feed, Status status, Instant firstSeen) {

  /** The media type of {@link #json}. */
  public static final String JSON = "application/json; charset=utf-8";

  /** The media type of {@link #atom}. */
  public static final String ATOM = "application/atom+xml";

  /** Whether there is no entry in it. */
  public boolean isEmpty() {
    return feed.entries().isEmpty();
  }

  /** The same with other entries. */
  public PastDocument with(List<Entry> entries) {
    return new PastDocument(feed.withEntries(entries), status, firstSeen);
  }

  /** As JSON of the Superfeedr schema. */
  public byte[] json() {
    return SuperfeedrJson.write(feed, status);
  }

  /** As Atom of the Superfeedr schema. */
  public byte[] atom() {
    return SuperfeedrAtom.write(feed, status, firstSeen);
  }
}
