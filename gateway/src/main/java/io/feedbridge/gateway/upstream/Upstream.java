package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.sql.Store;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Follows feeds by push: chooses a way for each, subscribes, renews, unsubscribes. */
public final class Upstream implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Upstream.class);

  private final Store store;
  private final String publicUrl;
  private final Clock clock;
  private final TransportSelector chooser;
  private final UpstreamSubscriber subscriber;

  /**
   * Wires the stage; {@link #start} starts it.
   *
   * @param executor for its pumps, which block
   * @param random for callbacks and secrets: unguessable
   */
  public Upstream(
      Store store,
      ActivityLog activity,
      Sender client,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      UpstreamUrls urls,
      Meters meters) {
    this.store = store;
    publicUrl = urls.publicUrl().toString();
    clock = timer.clock();
    UpstreamLog steps = new UpstreamLog(store, activity, executor);
    ToldPaths paths = new ToldPaths(store.subscriptions(), publicUrl);
    chooser = new TransportSelector(store, steps, paths, executor, timer, random, urls.publicUrl());
    subscriber =
        new UpstreamSubscriber(
            store,
            steps,
            new HubEndpoint(paths, client, executor, clock, urls),
            new CloudEndpoint(store, paths, client, executor, clock, urls),
            executor,
            timer,
            random,
            meters);
  }

  /**
   * Starts to select transports and to subscribe. If the public URL has changed, all upstream
   * subscriptions are renewed.
   */
  public void start() {
    int moved = store.upstreamSubscriptions().reachedAt(publicUrl, clock.instant()).join();
    if (moved > 0) {
      log.atInfo()
          .addKeyValue("publicUrl", publicUrl)
          .addKeyValue("followings", moved)
          .log("The public URL has changed: all upstream subscriptions are renewed at once");
    }
    chooser.start();
    subscriber.start();
  }

  /** Sends no more requests. */
  @Override
  public void close() {
    chooser.close();
    subscriber.close();
  }
}
