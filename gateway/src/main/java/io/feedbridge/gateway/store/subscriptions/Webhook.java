package io.feedbridge.gateway.store.subscriptions;

import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.websub.DocumentWishes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint that receives JSON as the log grows (rule L8).
 *
 * @param id never used twice
 * @param tag a part of the ids of its messages, unique among the endpoints of all gateways
 * @param terms the settings that its operator made
 * @param topics the feeds that it names; empty if it wants all feeds
 * @param secret the key that signs its messages
 * @param retired earlier secrets that still sign for a while, the newest first
 * @param reason why it is pending or disabled; absent while it is active, or before its first
 *     verification
 * @param verified whether its URL has returned the challenge
 * @param attempts verifications in a row that failed
 * @param nextAttemptAt when it is verified next; absent if no verification is due
 * @param failingSince since when no message got through; absent if it does not fail
 * @param restsUntil the time until which it wants no further document; absent for none
 * @param revision grows with each change that matters to its deliveries
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
    @Nullable Instant restsUntil,
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
    retiredAt(now).stream().map(Retired::secret).forEach(valid::add);
    return valid;
  }

  /** The earlier secrets that sign at a time, the newest first. */
  public List<Retired> retiredAt(Instant now) {
    return retired.stream().filter(old -> old.until.isAfter(now)).toList();
  }

  @Override
  public String toString() {
    return "Webhook[%d, %s, %s]".formatted(id, state, host());
  }

  /**
   * The settings of an endpoint, made by its operator.
   *
   * @param url the exact URL of its requests
   * @param topics normalised; empty for all followed feeds
   * @param filter an expression; absent for none
   * @param wishes for its documents
   * @param target the receiver of its messages
   */
  public record Terms(
      String url,
      List<String> topics,
      @Nullable String filter,
      @Nullable String description,
      DocumentWishes wishes,
      Target target) {
    public Terms {
      topics = List.copyOf(topics);
    }

    /** Of a standard target, without wishes. */
    public Terms(
        String url, List<String> topics, @Nullable String filter, @Nullable String description) {
      this(url, topics, filter, description, DocumentWishes.NONE, Target.STANDARD);
    }

    /** Terms that differ from these in the feeds alone. */
    public Terms of(List<String> feeds) {
      return new Terms(url, feeds, filter, description, wishes, target);
    }

    /** Whether messages go to one receiver, whose consent counts for both. */
    public boolean hasReceiverOf(Terms other) {
      return url.equals(other.url)
          && target.kind == other.target.kind
          && Objects.equals(target.token, other.target.token);
    }
  }

  /**
   * The receiver of messages.
   *
   * @param token that the receiver knows the gateway by; absent for none
   * @param template of a message; absent but for {@link TargetKind#TEMPLATE}
   */
  public record Target(TargetKind kind, @Nullable String token, @Nullable String template) {
    /** The gateway's own form. */
    public static final Target STANDARD = new Target(TargetKind.STANDARD, null, null);

    /** Without its token. */
    @Override
    public String toString() {
      return "Target[" + kind + "]";
    }
  }

  /** The kinds of targets. */
  public enum TargetKind {
    STANDARD(true),
    CLOUDEVENTS(true),
    CLOUDEVENTS_BATCH(true),
    TEMPLATE(true),
    DISCORD(false),
    SLACK(false),
    MATTERMOST(false),
    NTFY(false),
    GOTIFY(false),
    MATRIX(false);

    private final boolean signed;

    TargetKind(boolean signed) {
      this.signed = signed;
    }

    /** Whether its messages are signed with the webhook's secret. */
    public boolean isSigned() {
      return signed;
    }

    /** As users write it. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind that a user wrote; empty if there is none. */
    public static Optional<TargetKind> of(String label) {
      return Arrays.stream(values()).filter(kind -> kind.label().equals(label)).findFirst();
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
   * The state of an endpoint.
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
    /** It receives the challenge alone. */
    PENDING,
    /** It receives new events. */
    ACTIVE,
    /** It receives nothing; its cursor stays where it is. */
    DISABLED
  }
}
