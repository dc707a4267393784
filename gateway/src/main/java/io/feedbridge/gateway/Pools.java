package io.feedbridge.gateway;

import io.feedbridge.gateway.check.Checks;
import io.feedbridge.gateway.delivery.Fanout;
import io.feedbridge.gateway.ingest.Ingest;
import io.feedbridge.gateway.publish.BridgedFeeds;
import io.feedbridge.gateway.publish.PasswordChecks;
import io.feedbridge.gateway.search.Search;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.web.api.Api;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.console.Console;
import io.feedbridge.gateway.web.stream.EventStream;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread pools, each with a bound on its queue. A task beyond the bound is refused, so that no
 * kind of work takes memory without end or the threads of another kind.
 */
final class Pools {

  private static final int INTAKE_THREADS = 8;
  private static final int STAGE_THREADS = 8;
  private static final int COMMIT_THREADS = 2;
  private static final int QUEUE = 4_096;

  /** Checking a password takes processor time and memory by design. */
  private static final int PASSWORD_THREADS = 1;

  /** These threads render and sign deliveries; each webhook endpoint has one task at most. */
  private static final int WEBHOOK_THREADS = 2;

  static final int WEBHOOK_QUEUE = Webhooks.MAX;

  /** These threads wait for origins, which may take 30 s each; one host holds half of them. */
  private static final int EXPLAIN_THREADS = 8;

  /** Feeds of one caller that are explained at once. */
  static final int EXPLAINED_OF_ONE = 6;

  private static final int EXPLAIN_QUEUE = 16;

  /** A thread of checks ends after so long without one. */
  private static final int IDLE_CHECK_SECONDS = 30;

  /** These threads read the store for subscribers and for clients of the stream. */
  private static final int READ_THREADS = CallerThreads.AT_ONCE + 1;

  /** These threads read the store for bridged feeds, and make bridged feeds of the usual size. */
  private static final int BRIDGE_THREADS = BridgedFeeds.AT_ONCE + 1;

  /** Long bridged feeds, of which one is made at a time. */
  private static final int LONG_BRIDGE_QUEUE = 64;

  /** These threads make the documents of recent pings, which are the same for all callers. */
  private static final int PAGE_THREADS = CallerThreads.AT_ONCE + 1;

  /** Each reader of a stream may have a document to be rendered. */
  private static final int STREAM_THREADS = 3;

  private static final int STREAM_QUEUE = 2 * EventStream.MAX_READERS;

  private final Lifecycle lifecycle;
  private final Telemetry telemetry;

  final ThreadPoolExecutor intake;
  final ThreadPoolExecutor ingest;
  final ThreadPoolExecutor fanout;
  final ThreadPoolExecutor webhooks;
  final ThreadPoolExecutor api;
  final ThreadPoolExecutor explain;
  final ThreadPoolExecutor checks;
  final ThreadPoolExecutor console;
  final ThreadPoolExecutor reads;
  final ThreadPoolExecutor bridges;
  final ThreadPoolExecutor longBridges;
  final ThreadPoolExecutor pages;
  final ThreadPoolExecutor passwords;
  final ThreadPoolExecutor streams;
  final ThreadPoolExecutor stages;
  final ThreadPoolExecutor searches;
  final ThreadPoolExecutor searchIndex;
  final ThreadPoolExecutor trackers;

  /** Makes all pools but {@link #commits}, which the store needs before and outlives. */
  Pools(Lifecycle lifecycle, Telemetry telemetry) {
    this.lifecycle = lifecycle;
    this.telemetry = telemetry;
    intake = pool("intake", INTAKE_THREADS, QUEUE);
    ingest = pool("ingest", Ingest.WORKERS + 1, QUEUE);
    fanout = pool("fanout", Fanout.THREADS, QUEUE);
    webhooks = pool("webhooks", WEBHOOK_THREADS, WEBHOOK_QUEUE);
    api = pool("api", Api.THREADS, QUEUE);
    explain = pool("explain", EXPLAIN_THREADS, EXPLAIN_QUEUE);
    checks = pool("checks", Checks.MAX_RUNNING, Checks.MAX_RUNNING);
    checks.setKeepAliveTime(IDLE_CHECK_SECONDS, TimeUnit.SECONDS);
    checks.allowCoreThreadTimeOut(true);
    console = pool("console", Console.THREADS, Console.QUEUE);
    reads = pool("reads", READ_THREADS, QUEUE);
    bridges = pool("bridges", BRIDGE_THREADS, QUEUE);
    longBridges = pool("long-bridges", 1, LONG_BRIDGE_QUEUE);
    pages = pool("pages", PAGE_THREADS, QUEUE);
    passwords = pool("passwords", PASSWORD_THREADS, PasswordChecks.MAX_AT_ONCE);
    streams = pool("streams", STREAM_THREADS, STREAM_QUEUE);
    stages = pool("stages", STAGE_THREADS, QUEUE);
    searches = pool("searches", Search.THREADS, Search.QUEUE);
    searchIndex = pool("search-index", 1, 1);
    trackers = pool("trackers", 1, 1);
  }

  /** The pool on which the futures of commits complete. */
  static ThreadPoolExecutor commits(Lifecycle lifecycle, Telemetry telemetry) {
    return pool(lifecycle, telemetry, "commits", COMMIT_THREADS, QUEUE);
  }

  private ThreadPoolExecutor pool(String name, int threads, int queue) {
    return pool(lifecycle, telemetry, name, threads, queue);
  }

  private static ThreadPoolExecutor pool(
      Lifecycle lifecycle, Telemetry telemetry, String name, int threads, int queue) {
    ThreadPoolExecutor pool = Threads.pool(name, threads, queue);
    telemetry.watch(pool, name);
    lifecycle.onStop(() -> Threads.end(pool));
    return pool;
  }
}
