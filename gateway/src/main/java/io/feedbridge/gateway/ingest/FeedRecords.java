package io.feedbridge.gateway.ingest;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.ingest.throttle.FetchBudgets;
import io.feedbridge.gateway.metrics.trace.Traces;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.Outcome;
import io.feedbridge.gateway.store.log.Update;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds as they are stored, and the outcomes of their work: an assignment leaves the work only in
 * the transaction that records one of these (rule L1). Each method returns when the record is on
 * disk. Safe for use by several threads.
 */
record FeedRecords(Store store, Work work, FetchReports reports, FetchBudgets budgets) {

  private static final Logger log = LoggerFactory.getLogger(FeedRecords.class);

  FollowedFeed feed(long feedId) {
    return store
        .feeds()
        .byId(feedId)
        .orElseThrow(() -> new IllegalStateException("work for a feed that does not exist"));
  }

  /** How many subscribers a feed has. */
  long readers(long feedId) {
    return store.subscriptions().readers(feedId);
  }

  /** The fields that the feed's origin alone may see. Blocks. */
  Optional<FeedCredentials> credentials(long feedId) {
    return store.privateFeeds().of(feedId);
  }

  /** Whether the documents of a feed are for no other feed. */
  boolean isPrivate(FollowedFeed feed) {
    return store.privateFeeds().contains(feed.topic());
  }

  /**
   * The outcome of a job, with its events.
   *
   * @param before the feed as it was
   */
  Refreshed.Recorded record(FetchJob job, FollowedFeed before, Outcome outcome) {
    return record(job, before, outcome, Optional.empty());
  }

  /**
   * The outcome of a job that fetched a document.
   *
   * @param fetch how long that took
   */
  Refreshed.Recorded record(
      FetchJob job, FollowedFeed before, Outcome outcome, Optional<Duration> fetch) {
    Fault.RECORD.in(outcome.feed().topic());
    if (outcome.via().isPing() && !outcome.updates().isEmpty()) {
      reports.meters().firstDeliveries().pinged(before.id(), job.since(), before.head());
    }
    List<Long> events = store.feeds().record(outcome).join();
    reports.traces().recorded(events, () -> change(job, outcome, fetch));
    budgets.recorded(outcome);
    reports.changed(before, outcome.feed());
    Refreshed.Recorded recorded = new Refreshed.Recorded(outcome);
    for (Update update : outcome.updates()) {
      reports
          .meters()
          .event(outcome.via(), update.feed().entries().size(), update.changed().size());
    }
    if (!outcome.updates().isEmpty()) {
      log.atInfo()
          .addKeyValue("feed", outcome.feed().topic())
          .addKeyValue("via", outcome.via())
          .addKeyValue("events", outcome.updates().size())
          .log(message(outcome));
    }
    return recorded;
  }

  private static Traces.Change change(FetchJob job, Outcome outcome, Optional<Duration> fetch) {
    return new Traces.Change(
        Activity.withoutQuery(outcome.feed().topic()),
        outcome.via().name().toLowerCase(Locale.ROOT),
        job.since(),
        outcome.at(),
        fetch);
  }

  private static String message(Outcome outcome) {
    List<Update> updates = outcome.updates();
    if (updates.stream()
        .anyMatch(one -> !one.feed().entries().isEmpty() || !one.changed().isEmpty())) {
      return "A feed has new entries";
    }
    if (updates.stream().anyMatch(one -> !one.feed().removals().isEmpty())) {
      return "A feed has removed entries";
    }
    return updates.stream().anyMatch(Update::statusChanged)
        ? "Subscribers are told of the state of a feed"
        : "The bytes of a topic changed";
  }

  /** Puts a feed off: the wait may be long, and its work is not to be taken until then. */
  Refreshed.PutOff putOff(FetchJob job, Instant until) {
    store.feeds().putOff(job.assignment().position(), until, retry(job)).join();
    return new Refreshed.PutOff(until);
  }

  /** Puts a feed off for a reason that the API shows. */
  Refreshed.PutOff holdBack(FetchJob job, HeldBack held) {
    store.feeds().holdBack(job.assignment().position(), held, retry(job)).join();
    return new Refreshed.PutOff(held.until());
  }

  /** Ends work of which nothing else can be recorded; the feed is in error and due at that time. */
  void abandon(FetchJob job, Instant until, String reason) {
    store.feeds().abandon(job.assignment().position(), until, reason).join();
  }

  private static @Nullable Via retry(FetchJob job) {
    return job.via().isPing() ? job.via() : null;
  }

  /** Feeds for which a fetch brought something along are due now. */
  void addDue(Collection<Long> feedIds, Instant at) {
    feedIds.forEach(feed -> work.add(new WorkItem.Light(feed, Via.POLL, at)).join());
  }
}
