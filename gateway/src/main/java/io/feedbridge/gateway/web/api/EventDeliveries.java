package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.attempts.Attempts;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.deliveries.Gap;
import io.feedbridge.gateway.store.feeds.FeedKind;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.store.log.LogConsumer;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.deliveries.WebhookFilter;
import io.feedbridge.gateway.store.sql.subscriptions.EndedSubscriptions;
import io.feedbridge.gateway.store.sql.subscriptions.EventRecipients.Reach;
import io.feedbridge.gateway.store.sql.subscriptions.EventRecipients.Recipient;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.DeliveryView;
import io.feedbridge.gateway.web.api.model.RecipientView;
import io.feedbridge.gateway.web.api.model.SubscriberId;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.websub.DocumentWishes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where each subscriber stands with one event. The answer follows from the cursors in the store;
 * the record of attempts adds the request, as long as the record has it.
 */
final class EventDeliveries {

  /** Webhooks that are read at once: most of them may name other feeds. */
  private static final int WEBHOOKS_AT_ONCE = 100;

  private static final String NOT_VERIFIED = "the webhook is not verified yet";

  private final Store store;
  private final Attempts attempts;

  EventDeliveries(Store store, Attempts attempts) {
    this.store = store;
    this.attempts = attempts;
  }

  /** The place at which a part of the list begins: behind a subscription, or behind a webhook. */
  private record Position(long subscription, @Nullable Long webhook) {}

  /** A part of the list; the webhooks come after all other subscriptions. */
  interface Part {
    Answers.Items of(Event event);
  }

  /** The part that a page asks for; its cursor is checked here. */
  Part part(Page page) {
    Position after = page.position().map(EventDeliveries::position).orElse(new Position(0, null));
    return event -> list(event, page, after);
  }

  private Answers.Items list(Event event, Page page, Position after) {
    int wanted = page.limit() + 1;
    List<RecipientView> found = new ArrayList<>();
    FeedKind kind = store.feeds().kind(event.feedId()).orElse(FeedKind.FEED);
    EventContent content = new EventContent(event, kind);
    Long webhook = after.webhook();
    if (webhook == null) {
      List<Recipient> recipients =
          store
              .subscriptionQueries()
              .recipients(event.feedId(), event.seq(), after.subscription(), wanted);
      Set<Long> withContent = withContent(content, recipients);
      SortedMap<Long, RecipientView> byId = new TreeMap<>();
      store
          .endedSubscriptions()
          .ofFeed(event.feedId(), after.subscription(), wanted)
          .forEach(one -> byId.put(one.id(), view(event, one)));
      recipients.forEach(
          one -> byId.put(one.id(), view(event, one, withContent.contains(one.id()))));
      byId.values().stream().limit(wanted).forEach(found::add);
    }
    addWebhooks(content, webhook == null ? 0 : webhook, wanted, found);
    return page.items(found, one -> one, RecipientView::subscriptionId);
  }

  /** The recipients past the event for which it holds anything. */
  private Set<Long> withContent(EventContent content, List<Recipient> recipients) {
    List<Long> past =
        recipients.stream().filter(one -> one.reach() == Reach.PAST).map(Recipient::id).toList();
    return past.isEmpty()
        ? Set.of()
        : store.subscriptions().byIds(past).stream()
            .filter(one -> content.isFor(one.terms()))
            .map(Subscription::id)
            .collect(Collectors.toSet());
  }

  private static Position position(String text) {
    SubscriberId id =
        SubscriberId.of(text)
            .filter(one -> one.kind() != SubscriberId.Kind.PENDING)
            .orElseThrow(Page::badCursor);
    Optional<Long> webhook = id.webhook();
    return new Position(webhook.isPresent() ? 0 : id.number(), webhook.orElse(null));
  }

  private void addWebhooks(
      EventContent content, long afterId, int wanted, List<RecipientView> found) {
    Event event = content.event();
    long after = afterId;
    List<Webhook> read;
    do {
      if (found.size() >= wanted) {
        return;
      }
      read = store.webhooks().list(WebhookFilter.ALL, after, 0, WEBHOOKS_AT_ONCE);
      for (Webhook webhook : read) {
        after = webhook.id();
        boolean all = webhook.terms().topics().isEmpty();
        Optional<Webhook.Topic> named =
            webhook.topics().stream().filter(one -> one.feedId() == event.feedId()).findFirst();
        if ((all || named.isPresent()) && found.size() < wanted) {
          found.add(view(content, webhook, named.map(Webhook.Topic::start).orElse(0L)));
        }
      }
    } while (read.size() == WEBHOOKS_AT_ONCE);
  }

  private RecipientView view(Event event, Recipient one, boolean hasContent) {
    List<Attempt> record = sent(attempts.of(one.id()));
    Optional<Attempt> delivered = deliveryOf(event.seq(), record);
    Optional<Attempt> shown = delivered.or(() -> lastOf(event.seq(), record));
    String outcome =
        switch (one.reach()) {
          case TOO_EARLY -> "too_early";
          case SKIPPED -> "skipped";
          case PAST -> hasContent || delivered.isPresent() ? "delivered" : "passed";
          case UNDER_WAY -> "under_way";
          case FAILED -> "failed";
          case BEHIND -> "behind";
          case NOT_BEGUN -> "waiting";
          case IN_ROUND -> shown.map(EventDeliveries::inRound).orElse("waiting");
        };
    return new RecipientView(
        Long.toString(one.id()),
        Answers.word(one.protocol()),
        one.callback(),
        outcome,
        one.reason(),
        one.attempts(),
        one.nextAttemptAt(),
        outcome.equals("delivered") ? answeredAt(delivered) : null,
        ofEvent(one.reach()) ? shown.map(DeliveryView::of).orElse(null) : null);
  }

  /** Of a subscription that has ended the record of attempts alone says which events it had. */
  private RecipientView view(Event event, EndedSubscriptions.Entry one) {
    List<Attempt> record = sent(attempts.of(one.id()));
    Optional<Attempt> delivered = deliveryOf(event.seq(), record);
    boolean tooEarly = one.createdAt().isAfter(event.at());
    String outcome = delivered.isPresent() ? "delivered" : tooEarly ? "too_early" : "ended";
    return new RecipientView(
        Long.toString(one.id()),
        Answers.word(one.protocol()),
        one.callback(),
        outcome,
        delivered.isPresent()
            ? null
            : "%s, at %s".formatted(one.reason(), one.endedAt().truncatedTo(ChronoUnit.SECONDS)),
        0,
        null,
        answeredAt(delivered),
        tooEarly
            ? null
            : delivered.or(() -> lastOf(event.seq(), record)).map(DeliveryView::of).orElse(null));
  }

  /** Whether attempts at the event may exist. */
  private static boolean ofEvent(Reach reach) {
    return reach != Reach.TOO_EARLY && reach != Reach.NOT_BEGUN;
  }

  /** The state of an attempt whose round is open: the store has it with the next checkpoint. */
  private static String inRound(Attempt attempt) {
    DeliveryOutcome outcome = attempt.outcome();
    return outcome == null
        ? "under_way"
        : outcome == DeliveryOutcome.DELIVERED ? "delivered" : "failed";
  }

  private RecipientView view(EventContent content, Webhook webhook, long start) {
    Event event = content.event();
    List<Attempt> record = sent(attempts.of(Attempts.ofWebhook(webhook.id())));
    Optional<Attempt> delivered =
        record.stream().filter(one -> isDelivery(one) && one.eventId() == event.seq()).findFirst();
    Optional<LogConsumer> consumer = store.consumers().byName(webhook.consumer());
    boolean past = consumer.map(one -> one.cursor() >= event.seq()).orElse(false);
    String outcome;
    String reason = null;
    if (start >= event.seq() || webhook.createdAt().isAfter(event.at())) {
      outcome = "too_early";
    } else if (delivered.isPresent()) {
      outcome = "delivered";
    } else if (isInGap(consumer, event.seq())) {
      outcome = "skipped";
      reason = Answers.word(Gap.Reason.RETENTION);
    } else if (began(consumer) >= event.seq()) {
      outcome = "too_early";
      reason = consumer.isEmpty() ? NOT_VERIFIED : null;
    } else if (past) {
      outcome = passed(content, webhook);
    } else if (webhook.state() == Webhook.State.DISABLED) {
      outcome = "disabled";
      reason = webhook.reason();
    } else if (webhook.state() == Webhook.State.PENDING) {
      outcome = "waiting";
      reason = webhook.reason() == null ? NOT_VERIFIED : webhook.reason();
    } else {
      boolean failed = consumer.map(one -> one.attempts() > 0).orElse(false);
      outcome = failed ? "failed" : "waiting";
      reason = consumer.map(LogConsumer::error).orElse(null);
    }
    boolean isFailing = outcome.equals("failed");
    Optional<Attempt> shown =
        delivered.or(() -> isFailing ? lastOf(event.seq(), record) : Optional.empty());
    return new RecipientView(
        new SubscriberId(SubscriberId.Kind.WEBHOOK, webhook.id()).toString(),
        "webhook",
        webhook.terms().url(),
        outcome,
        reason,
        isFailing ? consumer.map(LogConsumer::attempts).orElse(0) : 0,
        isFailing ? consumer.map(LogConsumer::nextAttemptAt).orElse(null) : null,
        answeredAt(delivered),
        shown.map(DeliveryView::of).orElse(null));
  }

  /** The newest event when a webhook was first active; no event is for one that never was. */
  private long began(Optional<LogConsumer> consumer) {
    return consumer.map(one -> store.consumers().start(one.id())).orElse(Long.MAX_VALUE);
  }

  private String passed(EventContent content, Webhook webhook) {
    DocumentWishes wishes = webhook.terms().wishes();
    if (content.isFiltered(webhook.terms().filter(), wishes)
        || (wishes.dedupe() && isBroughtByOthers(content, webhook))) {
      return "filtered";
    }
    return content.isForWebhook(wishes) ? "delivered" : "passed";
  }

  private boolean isBroughtByOthers(EventContent content, Webhook webhook) {
    Set<String> pages = content.pages(webhook.terms().wishes());
    Event event = content.event();
    return !pages.isEmpty()
        && store
            .webhooks()
            .links()
            .ofOthers(webhook.id(), event.feedId(), event.seq(), pages)
            .equals(pages);
  }

  private boolean isInGap(Optional<LogConsumer> consumer, long seq) {
    return consumer
        .map(
            one ->
                store.consumers().gaps(one.id()).stream()
                    .anyMatch(gap -> gap.after() < seq && gap.upTo() >= seq))
        .orElse(false);
  }

  /**
   * The attempt that delivered an event: the first with a document that reaches it. The oldest
   * attempt on record counts only if its document ends with the event, since earlier attempts may
   * be forgotten.
   */
  private static Optional<Attempt> deliveryOf(long seq, List<Attempt> newestFirst) {
    boolean hasEarlier = false;
    for (int i = newestFirst.size() - 1; i >= 0; i--) {
      Attempt attempt = newestFirst.get(i);
      if (isDelivery(attempt) && attempt.eventId() >= seq) {
        return hasEarlier || attempt.eventId() == seq ? Optional.of(attempt) : Optional.empty();
      }
      hasEarlier |= isDelivery(attempt);
    }
    return Optional.empty();
  }

  private static Optional<Attempt> lastOf(long seq, List<Attempt> newestFirst) {
    return newestFirst.stream().filter(one -> one.eventId() >= seq).findFirst();
  }

  /** Without the events that an operator had sent once more, which move no cursor. */
  private static List<Attempt> sent(List<Attempt> record) {
    return record.stream().filter(one -> one.kind() != Attempt.Kind.RESENT).toList();
  }

  private static boolean isDelivery(Attempt attempt) {
    return attempt.outcome() == DeliveryOutcome.DELIVERED && attempt.eventId() > 0;
  }

  private static @Nullable Instant answeredAt(Optional<Attempt> delivered) {
    return delivered
        .map(one -> one.took() == null ? one.at() : one.at().plus(one.took()))
        .orElse(null);
  }
}
