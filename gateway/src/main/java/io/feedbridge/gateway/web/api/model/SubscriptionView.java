package io.feedbridge.gateway.web.api.model;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.feedbridge.gateway.store.Behind;
import io.feedbridge.gateway.store.sql.subscriptions.EndedSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.web.common.Answers;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A subscription of any protocol as the API shows it; its secret is no part of that. */
@JsonTypeInfo(
    use = JsonTypeInfo.Id.NAME,
    include = JsonTypeInfo.As.EXISTING_PROPERTY,
    property = "protocol",
    visible = true)
@JsonSubTypes({
  @JsonSubTypes.Type(
      value = SubscriptionView.Subscribed.class,
      names = {"websub", "rsscloud"}),
  @JsonSubTypes.Type(value = SubscriptionView.OfWebhook.class, name = "webhook")
})
public sealed interface SubscriptionView {

  /** Its id, with a prefix for a webhook, or for a request that is not verified yet. */
  String id();

  /** The protocol: websub, rsscloud or webhook. */
  String protocol();

  /** The topic; absent for a webhook of several feeds. */
  @Nullable String topic();

  /** The URL that is sent the documents. */
  String callback();

  /** The format of the documents. */
  String format();

  /** The state by its name in docs/api.md. */
  String state();

  /** Why a webhook is disabled, or a subscription has ended. */
  @Nullable String reason();

  /** The end of its lease; absent where it has none. */
  @Nullable Instant leaseEndsAt();

  /** When it began. */
  Instant createdAt();

  /** When it ended; absent for one that goes on. */
  @Nullable Instant endedAt();

  /** The events that a laggard misses. */
  @Nullable Behind behind();

  /** Events that it has missed for good, the newest first. */
  List<GapView> gaps();

  /** The topic or topics in a few words. */
  String subject();

  /** The id of the webhook that it belongs to; empty for other protocols. */
  default String webhookId() {
    return "";
  }

  /**
   * A subscription as the API shows it; its secret is no part of that.
   *
   * @param endedAt absent for one that goes on
   * @param reason why it ended; absent for one that goes on
   */
  record Subscribed(
      String id,
      String protocol,
      String topic,
      String callback,
      String format,
      @Nullable String every,
      @Nullable String only,
      @Nullable String fields,
      boolean digest,
      @Nullable Instant nextDigestAt,
      String state,
      @Nullable Instant leaseEndsAt,
      Instant createdAt,
      @Nullable Instant endedAt,
      @Nullable String reason,
      @Nullable Behind behind,
      List<GapView> gaps)
      implements SubscriptionView {

    /** A subscription that goes on. */
    public static Subscribed of(SubscriptionQueries.Entry entry, List<GapView> gaps) {
      return new Subscribed(
          SubscriberId.of(entry.key()).toString(),
          Answers.word(entry.protocol()),
          entry.topic(),
          entry.callback(),
          Answers.word(entry.format()),
          entry.wishes().everyText(),
          entry.wishes().onlyText(),
          entry.wishes().fieldsText(),
          entry.wishes().digest(),
          entry.nextDigestAt(),
          Answers.word(entry.state()),
          entry.leaseEndsAt(),
          entry.createdAt(),
          null,
          null,
          entry.behind(),
          gaps);
    }

    /** A subscription that has ended. */
    public static Subscribed of(EndedSubscriptions.Entry entry) {
      return new Subscribed(
          Long.toString(entry.id()),
          Answers.word(entry.protocol()),
          entry.topic(),
          entry.callback(),
          Answers.word(entry.format()),
          null,
          null,
          null,
          false,
          null,
          Answers.word(entry.state()),
          null,
          entry.createdAt(),
          entry.endedAt(),
          entry.reason(),
          null,
          List.of());
    }

    @Override
    public String subject() {
      return topic;
    }
  }

  /**
   * A webhook as one of the subscriptions.
   *
   * @param topic {@code *} for all feeds; absent if it names several
   * @param leaseEndsAt absent: it has none
   */
  record OfWebhook(
      String id,
      String protocol,
      @Nullable String topic,
      List<String> topics,
      String callback,
      String format,
      String state,
      @Nullable String reason,
      @Nullable Instant leaseEndsAt,
      Instant createdAt,
      @Nullable Behind behind,
      List<GapView> gaps)
      implements SubscriptionView {

    @Override
    public @Nullable Instant endedAt() {
      return null;
    }

    @Override
    public String subject() {
      if (topic == null) {
        return topics.size() + " feeds";
      }
      return topic.equals("*") ? "all feeds" : topic;
    }

    @Override
    public String webhookId() {
      return id.replace("webhook-", "");
    }
  }
}
