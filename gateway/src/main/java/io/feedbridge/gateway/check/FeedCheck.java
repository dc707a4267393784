package io.feedbridge.gateway.check;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A check of a feed, with the findings up to now.
 *
 * @param id the unguessable last segment of its page
 * @param url the feed, normalised
 * @param page the URL that shows the check again
 * @param state running, listening (all is asked, deliveries may come) or done
 * @param verdict connected, partly, unconnected or unknown (nothing could be asked); absent until
 *     the state is done
 * @param summary the verdict as a sentence; empty until the state is done
 * @param listensUntil when it stops to wait for deliveries; absent before it listens
 * @param keptUntil when its page ends
 * @param findings one for each thing that was looked at, in that order
 */
public record FeedCheck(
    String id,
    String url,
    String page,
    String state,
    @Nullable String verdict,
    String summary,
    Instant startedAt,
    @Nullable Instant listensUntil,
    Instant keptUntil,
    List<Finding> findings) {

  /** Copies the list. */
  public FeedCheck {
    findings = List.copyOf(findings);
  }

  /** Whether nothing more is found out. */
  public boolean ended() {
    return state.equals(DONE);
  }

  /** A verdict as a sentence. */
  static String summary(String verdict) {
    return switch (verdict) {
      case CONNECTED -> "The feed is connected: its readers can have push.";
      case PARTLY -> "The feed is connected in part: one of its ways to push does not work.";
      case UNKNOWN -> "It is not known whether the feed is connected: nothing was asked.";
      default -> "The feed is not connected: its readers must poll it.";
    };
  }

  static final String RUNNING = "running";
  static final String LISTENING = "listening";
  static final String DONE = "done";

  static final String CONNECTED = "connected";
  static final String PARTLY = "partly";
  static final String UNCONNECTED = "unconnected";
  static final String UNKNOWN = "unknown";

  static final String OK = "ok";
  static final String NOTE = "note";
  static final String PROBLEM = "problem";
  static final String WAITING = "waiting";

  /**
   * One finding.
   *
   * @param subject feed, or the URL of a hub or a cloud
   * @param result ok, note, problem or waiting
   * @param text a sentence
   * @param advice the remedy; empty where nothing is to be done
   */
  public record Finding(String subject, String result, String text, String advice) {}
}
