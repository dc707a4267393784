package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.check.CheckBounds;
import io.feedbridge.gateway.check.Checks;
import io.feedbridge.gateway.check.OwnPush;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.runtime.Lifecycle;
import io.feedbridge.gateway.upstream.TrialSubscriptions;
import io.feedbridge.gateway.upstream.Upstream;
import io.feedbridge.gateway.upstream.UpstreamCallbacks;
import io.feedbridge.gateway.upstream.UpstreamUrls;
import java.net.URI;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Subscriptions at hubs and clouds, their callbacks, and checks of publishers' feeds. */
final class UpstreamPart {

  /** A thread of checks ends after so long without one. */
  private static final int IDLE_CHECK_SECONDS = 30;

  final UpstreamCallbacks callbacks;
  final Checks checks;
  private final Upstream upstream;

  /**
   * Wires it.
   *
   * @param key of the gateway, by which it signs the paths of its callbacks
   */
  UpstreamPart(
      Settings settings, Machines machines, ServingPart serving, FirstLook firstLook, byte[] key) {
    URI url = settings.publicUrl();
    UpstreamUrls urls = new UpstreamUrls(url, key);
    upstream =
        new Upstream(
            machines.store,
            serving.activity,
            machines.owned().client(),
            machines.stages,
            machines.timer,
            machines.random,
            urls,
            machines.meters);
    callbacks =
        new UpstreamCallbacks(
            machines.store,
            serving.activity,
            serving.intakeThreads,
            urls,
            machines.clock,
            machines.random);
    checks =
        new Checks(
            firstLook,
            new TrialSubscriptions(
                machines.store, machines.owned().client(), machines.stages, machines.timer, urls),
            new OwnPush(serving.intake, serving.pingOutcomes, url),
            url,
            CheckBounds.USUAL,
            checkThreads(machines),
            machines.timer,
            machines.random);
  }

  private static ThreadPoolExecutor checkThreads(Machines machines) {
    ThreadPoolExecutor threads = machines.pool("checks", Checks.MAX_RUNNING, Checks.MAX_RUNNING);
    threads.setKeepAliveTime(IDLE_CHECK_SECONDS, TimeUnit.SECONDS);
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  void start(Lifecycle lifecycle) {
    lifecycle.start(upstream::start, upstream::close);
    lifecycle.onStop(checks::close);
  }
}
