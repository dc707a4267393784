package io.feedbridge.gateway.ingest.hosts;

import io.feedbridge.gateway.ingest.hosts.OriginWindow.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * The permits of all fetches together. Part of them is kept for pings, and part for prompt hosts,
 * so that hosts that trickle or keep silent leave room for the others. A fetch that takes longer
 * than a prompt one counts as a fetch of an unproven host, and a fetch that takes too long counts
 * as a fetch of a slow host and gives its permit back. Not thread-safe; its gate guards it.
 */
public final class FetchPermits {

  /** Fetches at once in all. */
  static final int AT_ONCE = 64;

  /** The permits of {@link #AT_ONCE} that pings alone may take. */
  static final int FOR_PINGS = AT_ONCE / 4;

  /** The permits of {@link #AT_ONCE} for hosts that are not known to be prompt. */
  static final int AT_UNPROVEN = AT_ONCE / 2;

  /** The permits of {@link #AT_UNPROVEN} that pings alone may take. */
  private static final int UNPROVEN_FOR_PINGS = AT_UNPROVEN / 4;

  /** Fetches at once from slow hosts. */
  static final int AT_SLOW = AT_ONCE / 4;

  /** The most open fetches, including fetches that gave their permits back. */
  public static final int OPEN = 4 * AT_ONCE;

  private final Set<Place> open = new HashSet<>();
  private int prompt;
  private int unproven;
  private int slow;

  /** A fetch under way. Two are never equal. */
  static final class Place {
    private final OriginWindow window;
    private final Standing standing;
    private final Instant began;
    private boolean late;

    private Place(OriginWindow window, Instant began) {
      this.window = window;
      this.began = began;
      standing = window.standing();
    }

    /** How long the fetch takes so far. */
    Duration age(Instant now) {
      // The clock may have been set back.
      return now.isAfter(began) ? Duration.between(began, now) : Duration.ZERO;
    }
  }

  /** Counts anew: time alone changes the kind under which a fetch counts. */
  void recount(Instant now) {
    prompt = 0;
    unproven = 0;
    slow = 0;
    for (Place place : open) {
      Duration age = place.age(now);
      if (!place.late && age.compareTo(OriginWindow.SLOW) > 0) {
        place.late = true;
        place.window.slow();
      }
      boolean overdue = age.compareTo(OriginWindow.PROMPT) > 0;
      if (overdue) {
        place.window.overdue();
      }
      if (place.late || place.standing == Standing.SLOW) {
        slow++;
      }
      if (!place.late) {
        boolean isPrompt = place.standing == Standing.PROMPT && !overdue;
        prompt += isPrompt ? 1 : 0;
        unproven += isPrompt ? 0 : 1;
      }
    }
  }

  /** Whether slow hosts have all their places, as last counted. */
  boolean slowAreTaken() {
    return slow >= AT_SLOW;
  }

  /** Whether there is a place, as last counted. */
  boolean has(Standing standing, Haste haste) {
    boolean ping = haste == Haste.PING;
    // Fetches that became overdue take no place of prompt hosts.
    int taken = prompt + Math.min(unproven, AT_UNPROVEN);
    if (open.size() >= OPEN || taken >= (ping ? AT_ONCE : AT_ONCE - FOR_PINGS)) {
      return false;
    }
    return switch (standing) {
      case PROMPT -> true;
      case UNPROVEN -> hasUnproven(ping);
      case SLOW -> hasUnproven(ping) && !slowAreTaken();
    };
  }

  private boolean hasUnproven(boolean ping) {
    return unproven < (ping ? AT_UNPROVEN : AT_UNPROVEN - UNPROVEN_FOR_PINGS);
  }

  Place take(OriginWindow window, Instant now) {
    Place place = new Place(window, now);
    open.add(place);
    prompt += place.standing == Standing.PROMPT ? 1 : 0;
    unproven += place.standing == Standing.PROMPT ? 0 : 1;
    slow += place.standing == Standing.SLOW ? 1 : 0;
    return place;
  }

  public void leave(Place place) {
    open.remove(place);
  }
}
