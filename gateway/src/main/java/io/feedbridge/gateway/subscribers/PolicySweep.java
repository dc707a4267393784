package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.deliveries.WebhookFilter;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changed policies to the store. Feeds that they refuse are followed no more, and their
 * WebSub subscribers are told (rule H10); subscriptions of refused callbacks end, and webhooks with
 * refused URLs are disabled. A refused feed that an operator, a reader or a webhook wants is
 * followed again once the policies permit it.
 */
public final class PolicySweep {

  private static final int AT_ONCE = 500;

  private static final Logger log = LoggerFactory.getLogger(PolicySweep.class);

  private final Store store;
  private final Policies policies;
  private final Clock clock;
  private final List<CompletableFuture<?>> writes = new ArrayList<>();
  private int barred;
  private int ended;
  private int disabled;

  /** A sweep; {@link #run} does it. */
  public PolicySweep(Store store, Policies policies, Clock clock) {
    this.store = store;
    this.policies = policies;
    this.clock = clock;
  }

  /**
   * Sweeps, unless the same policies were applied before. Blocks; must run before all other stages.
   */
  public void run() {
    if (store.restrictions().applied().strip().equals(policies.text().strip())) {
      return;
    }
    resume();
    restrict();
    disableWebhooks();
    store.restrictions().apply(policies.text()).join();
    log.atInfo()
        .addKeyValue("feeds", barred)
        .addKeyValue("subscriptions", ended)
        .addKeyValue("webhooks", disabled)
        .log("The policies have changed: feeds and subscriptions that they refuse have ended");
  }

  private void resume() {
    Instant now = clock.instant();
    long after = 0;
    List<FollowedFeed> some = store.restrictions().barred(after, AT_ONCE);
    while (!some.isEmpty()) {
      some.stream()
          .filter(feed -> policies.permitTopic(feed.topic()))
          .forEach(feed -> writes.add(store.restrictions().unbar(feed.id(), now)));
      await();
      after = some.get(some.size() - 1).id();
      some = store.restrictions().barred(after, AT_ONCE);
    }
  }

  private void restrict() {
    long after = 0;
    List<FollowedFeed> some = store.feeds().followed(after, AT_ONCE);
    while (!some.isEmpty()) {
      for (FollowedFeed feed : some) {
        boolean permitted = policies.permitTopic(feed.topic());
        restrict(feed, permitted);
        if (!permitted) {
          barred++;
          writes.add(store.restrictions().bar(feed.id()));
        }
      }
      await();
      after = some.get(some.size() - 1).id();
      some = store.feeds().followed(after, AT_ONCE);
    }
  }

  private void restrict(FollowedFeed feed, boolean permitted) {
    long after = 0;
    List<Subscription> some = store.subscriptions().ofFeed(feed.id(), after, AT_ONCE);
    while (!some.isEmpty()) {
      some.forEach(subscription -> restrict(subscription, permitted));
      await();
      after = some.get(some.size() - 1).id();
      some = store.subscriptions().ofFeed(feed.id(), after, AT_ONCE);
    }
  }

  private void restrict(Subscription subscription, boolean permitted) {
    Instant now = clock.instant();
    if (!policies.permitCallback(subscription.callback())) {
      ended++;
      writes.add(store.subscriptions().end(subscription.id(), Policies.CALLBACK_REFUSED, now));
    } else if (!permitted) {
      ended++;
      writes.add(
          subscription.protocol() == Protocol.WEBSUB
              ? store.subscriptions().deny(subscription.id(), Policies.TOPIC_REFUSED, now)
              : store.subscriptions().end(subscription.id(), Policies.TOPIC_REFUSED, now));
    }
  }

  private void disableWebhooks() {
    WebhookFilter all = WebhookFilter.ALL;
    long after = 0;
    List<Webhook> some = store.webhooks().list(all, after, 0, AT_ONCE);
    while (!some.isEmpty()) {
      for (Webhook webhook : some) {
        boolean runs = webhook.state() != Webhook.State.DISABLED;
        if (runs && !policies.permitCallback(webhook.terms().url())) {
          disabled++;
          writes.add(
              store.webhooks().disable(webhook.id(), Policies.CALLBACK_REFUSED, clock.instant()));
        }
      }
      await();
      after = some.get(some.size() - 1).id();
      some = store.webhooks().list(all, after, 0, AT_ONCE);
    }
  }

  /** Waits for the writes, which share commits. */
  private void await() {
    CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).join();
    writes.clear();
  }
}
