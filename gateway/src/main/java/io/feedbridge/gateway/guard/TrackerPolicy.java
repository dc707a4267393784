package io.feedbridge.gateway.guard;

/** The callers that may subscribe to trackers. */
public enum TrackerPolicy {
  /** All callers. */
  OPEN,
  /** Callers with the token of a login, or with the operator's. */
  LOGIN,
  /** No caller. */
  OFF;

  /** The path of trackers below the public URL. */
  public static final String PATH = "/track";

  /**
   * Whether a URL is, or is meant to be, that of a tracker.
   *
   * @param base the URL of {@link #PATH}
   */
  public static boolean isTracker(String base, String topic) {
    return topic.equals(base) || topic.startsWith(base + "?");
  }
}
