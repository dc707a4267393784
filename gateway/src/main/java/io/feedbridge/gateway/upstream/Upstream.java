package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Store;
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
  private final Chooser chooser;
  private final Subscriber subscriber;

  /**
   * Wires the stage; {@link #start} starts it.
   *
   * @param executor for its pumps, which block
   * @param random for callbacks and secrets: unguessable
   */
  public Upstream(
      Store store,
      Sender client,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      UpstreamUrls urls,
      String userAgent) {
    this.store = store;
    publicUrl = urls.publicUrl().toString();
    clock = timer.clock();
    chooser = new Chooser(store, executor, timer, random, urls.publicUrl());
    subscriber =
        new Subscriber(
            store,
            new HubEndpoint(client, urls, userAgent),
            new CloudEndpoint(store, client, executor, urls, userAgent),
            executor,
            timer,
            random);
  }

  /** Follows what is to be followed, from now on; anew where the gateway's address has changed. */
  public void start() {
    int moved = store.followings().reachedAt(publicUrl, clock.instant()).join();
    if (moved > 0) {
      log.atInfo()
          .addKeyValue("publicUrl", publicUrl)
          .addKeyValue("followings", moved)
          .log("The public URL has changed: hubs and clouds are told at once");
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
