package io.feedbridge.gateway.assembly;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.ingest.FetchReports;
import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.ingest.Ingest;
import io.feedbridge.gateway.ingest.Politeness;
import io.feedbridge.gateway.ingest.digest.PollSchedule;
import io.feedbridge.gateway.ingest.fetch.Fetcher;
import io.feedbridge.gateway.ingest.fetch.UserAgent;
import io.feedbridge.gateway.publish.OwnTopics;
import io.feedbridge.gateway.runtime.Version;
import java.time.Duration;
import java.util.concurrent.ThreadPoolExecutor;

/** Fetches feeds, and finds their new entries. */
final class IngestPart {

  /** Time for fetches that are under way at a stop. */
  private static final Duration FETCH_GRACE = Duration.ofSeconds(2);

  final Ingest ingest;
  private final Fetcher fetcher;
  private final PollSchedule schedule;
  private final Machines machines;

  IngestPart(Settings settings, Machines machines, ServingPart serving, OwnTopics own) {
    this.machines = machines;
    Settings.Polling polling = settings.polling();
    ThreadPoolExecutor threads = machines.pool("ingest", Ingest.WORKERS + 1, Machines.QUEUE);
    schedule =
        new PollSchedule(
            polling.min(), polling.max(), polling.backup(), polling.pingRecheck(), true);
    fetcher =
        new Fetcher(
            machines.owned().client(),
            own,
            new UserAgent("Feedbridge", Version.current(), settings.publicUrl()),
            polling.hubs(),
            machines.clock,
            threads);
    ingest =
        new Ingest(
            machines.work,
            machines.store,
            fetcher,
            new FetchReports(machines.meters, serving.activity, machines.traces),
            threads,
            machines.timer,
            schedule,
            new Politeness(
                polling.hostPause(),
                polling.pingQuiet(),
                machines.unasked.firstFetches(),
                Networks.of(settings.guarding().limits().exempt()),
                polling.paces()));
    watch();
  }

  private void watch() {
    machines.meters.gauge(
        "feedbridge.clock.origins.seconds",
        "Seconds that the system clock is ahead of the clocks of origins, in the median",
        fetcher::secondsAhead);
    machines.meters.gauge(
        "feedbridge.sites.paced",
        "Sites that are sent requests at a pace",
        ingest.origins().sites()::paced);
    machines.meters.total(
        "feedbridge.fetches.paced",
        "Fetches put off for the pace of their site",
        ingest.origins().sites()::putOff);
  }

  /** A fetch of a feed, for which its caller waits. */
  FirstLook firstLook() {
    return new FirstLook(fetcher, ingest.origins(), schedule, machines.clock);
  }

  void start() {
    ingest.start();
  }

  /** Ends its fetches, or gives them up after a while. */
  void stop() {
    ingest.stop(FETCH_GRACE);
  }
}
