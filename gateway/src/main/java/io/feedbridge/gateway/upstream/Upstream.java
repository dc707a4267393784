package io.feedbridge.gateway.upstream;

import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.Store;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Follows feeds by push: chooses a way for each, subscribes, renews, unsubscribes. */
public final class Upstream implements AutoCloseable {

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
      OutboundClient client,
      Executor executor,
      Timer timer,
      RandomGenerator random,
      UpstreamUrls urls,
      String userAgent) {
    chooser = new Chooser(store, executor, timer, random);
    subscriber =
        new Subscriber(
            store,
            new HubEndpoint(client, urls, userAgent),
            new CloudEndpoint(store, client, executor, urls, userAgent),
            executor,
            timer,
            random);
  }

  /** Follows what is to be followed, from now on. */
  public void start() {
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
