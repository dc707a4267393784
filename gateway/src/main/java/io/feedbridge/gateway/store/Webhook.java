package io.feedbridge.gateway.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint that is sent JSON as the log grows (rule L8).
 *
 * @param id never used twice
 * @param tag of the ids of its messages, which no other endpoint of any gateway has
 * @param terms what its operator asked for
 * @param topics the feeds that it names; empty if it wants all
 * @param secret signs what is sent to it
 * @param retired secrets that it had before and that sign for a while yet, the newest first
 * @param reason why it is pending or disabled; absent of one that is active, or not asked yet
 * @param verified whether its URL has shown that it wants this
 * @param attempts verifications in a row that failed
 * @param nextAttemptAt when it is verified next; absent if it is not
 * @param failingSince when it last began to fail and nothing since got through; absent if it does
 *     not
 * @param revision grows with whatever matters to those who serve it
 */
public record Webhook(
    long id,
    String tag,
    Terms terms,
    List<Topic> topics,
    String secret,
    List<Retired> retired,
    State state,
    @Nullable String reason,
    boolean verified,
    int attempts,
    @Nullable Instant nextAttemptAt,
    @Nullable Instant failingSince,
    long revision,
    Instant createdAt) {

  public Webhook {
    topics = List.copyOf(topics);
    retired = List.copyOf(retired);
  }

  /** The name of its consumer. */
  public String consumer() {
    return consumer(id);
  }

  /** The name of an endpoint's consumer. */
  public static String consumer(long id) {
    return "webhook-" + id;
  }

  /** The host of its URL, see {@link CallbackHost}. */
  public String host() {
    return CallbackHost.of(terms.url);
  }

  /** The secrets that sign at a time, the newest first. */
  public List<String> secretsAt(Instant now) {
    List<String> valid = new ArrayList<>(List.of(secret));
    retired.stream().filter(old -> old.until.isAfter(now)).map(Retired::secret).forEach(valid::add);
    return valid;
  }

  @Override
  public String toString() {
    return "Webhook[%d, %s, %s]".formatted(id, state, host());
  }

  /**
   * What its operator decides.
   *
   * @param url exactly what is called
   * @param topics normalised; empty for all feeds that are followed for whatever reason
   * @param filter an expression; absent for none
   */
  public record Terms(
      String url, List<String> topics, @Nullable String filter, @Nullable String description) {
    public Terms {
      topics = List.copyOf(topics);
    }
  }

  /**
   * A feed that an endpoint names.
   *
   * @param start the feed's newest event when it was named; nothing up to it is sent (rule L6)
   */
  public record Topic(long feedId, String topic, long start) {}

  /** A secret that was replaced. */
  public record Retired(String secret, Instant until) {
    @Override
    public String toString() {
      return "Retired[until " + until + "]";
    }
  }

  /**
   * What becomes of it.
   *
   * <pre>
   *   PENDING ──its URL gave the challenge back──▶ ACTIVE
   *      ▲ │  ◀────────── another URL ───────────   │ ▲
   *      │ │                                        │ │
   *      │ └── by hand ──▶ DISABLED ◀── by hand, ───┘ │
   *      │                  │    │   410, or days of   │
   *      └── not verified ──┘    │   failures          │
   *              yet             └───── by hand ──────┘
   * </pre>
   */
  public enum State {
    /** Nothing is sent to it but the challenge. */
    PENDING,
    /** It is sent what comes. */
    ACTIVE,
    /** Nothing is sent to it; its cursor stays where it is. */
    DISABLED
  }
}
