package io.feedbridge.gateway.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Slots, waits and threads that callers share are given out by the package {@code admission}, whose
 * pools have a share for each caller or third party. Other classes make none, with exceptions.
 */
@AnalyzeClasses(packages = "io.feedbridge", importOptions = ImportOption.DoNotIncludeTests.class)
class BoundedPoolsTest {

  private static final String GATEWAY = "io.feedbridge.gateway.";

  /** The classes that make a pool of slots or threads, or a queue, and the reason for each. */
  private static final Map<String, String> EXCEPTIONS =
      Map.ofEntries(
          Map.entry(
              "runtime.Threads",
              "makes the threads of all rooms: requests run on CallerThreads or Turns; the pools"
                  + " stages, ingest, fanout, webhooks, trackers, search-index and commits have"
                  + " tasks of the gateway itself, few for each feed, host or webhook; a task of"
                  + " intake is a few look-ups or writes, of callers with a rate; checks,"
                  + " passwords and long-bridges have permits of callers before"),
          Map.entry("offline.OfflineStore", "one command in a process of its own"),
          Map.entry("schedule.SystemTimer", "the one thread of timers, whose tasks are short"),
          Map.entry(
              "metrics.trace.TraceExport",
              "the one thread that sends traces; a span that finds the queue full is dropped,"
                  + " whoever caused the others"),
          Map.entry(
              "store.sql.commit.WriteQueue",
              "writes are bounded by number and bytes, and those for deliveries have a queue of"
                  + " their own"),
          Map.entry("store.sqlite.SqliteDatabase", "long reads leave connections to short ones"),
          Map.entry(
              "store.postgres.PostgresDatabase", "long reads leave connections to short ones"),
          Map.entry("store.postgres.PostgresNotices", "each kind of effect is queued once"),
          Map.entry("cli.ExplainCommand", "one command in a process of its own"),
          Map.entry("cli.NormalizeCommand", "one command in a process of its own"),
          Map.entry("cli.operate.MigrateSuperfeedrCommand", "one command in a process of its own"),
          Map.entry("cli.remote.LiveStream", "one command in a process of its own"),
          Map.entry("demo.Journal", "the demo has one user"),
          Map.entry("demo.LogWatch", "the demo has one user"),
          Map.entry("bench.Child", "the benchmark has one user"),
          Map.entry("bench.SearchRun", "the benchmark has one user"),
          Map.entry("bench.data.Furnishing", "the benchmark has one user"),
          Map.entry("bench.parts.BareReader", "the benchmark has one user"),
          Map.entry("bench.parts.BareWriter", "the benchmark has one user"),
          Map.entry("bench.parts.SimulatedTime", "the benchmark has one user"));

  @ArchTest
  static void a_pool_without_shares_is_made_by_the_known_exceptions_alone(JavaClasses classes) {
    Set<String> makers = new TreeSet<>();
    for (JavaClass type : classes) {
      if (!type.getPackageName().equals(GATEWAY + "admission")
          && type.getCodeUnitCallsFromSelf().stream()
              .map(JavaAccess::getTarget)
              .anyMatch(target -> makesPool(target.getOwner(), target.getName()))) {
        makers.add(outer(type.getName()));
      }
    }
    assertThat(makers).isEqualTo(new TreeSet<>(EXCEPTIONS.keySet()));
  }

  /** The classes of the web that are given threads, and the reason for each. */
  private static final Map<String, String> HANDLERS =
      Map.ofEntries(
          Map.entry("web.common.CallerThreads", "gives each caller a share"),
          Map.entry("web.common.Admission", "makes CallerThreads"),
          Map.entry(
              "web.cloud.ChangesHandler",
              "the lists of the last pings are made once a minute for all callers"),
          Map.entry("web.stream.ActivityStream", "one task writes for all readers"),
          Map.entry(
              "web.stream.EventStream", "each reader has one task, each caller a share of readers"),
          Map.entry(
              "web.stream.StreamReaders",
              "each reader has one task, each caller a share of readers"),
          Map.entry(
              "web.stream.StreamReader",
              "each reader has one task, each caller a share of readers"));

  @ArchTest
  static void requests_run_on_threads_with_a_share_for_each_caller(JavaClasses classes) {
    Set<String> handlers = new TreeSet<>();
    for (JavaClass type : classes) {
      if (type.getPackageName().startsWith(GATEWAY + "web")
          && type.getDirectDependenciesFromSelf().stream()
              .anyMatch(one -> one.getTargetClass().isAssignableTo(Executor.class))) {
        handlers.add(outer(type.getName()));
      }
    }
    assertThat(handlers).isEqualTo(new TreeSet<>(HANDLERS.keySet()));
  }

  private static boolean makesPool(JavaClass owner, String called) {
    boolean pool =
        owner.isAssignableTo(Semaphore.class)
            || owner.isAssignableTo(BlockingQueue.class)
            || (owner.isAssignableTo(Executor.class)
                && owner.getPackageName().startsWith("java.util.concurrent"));
    return (pool && called.equals(JavaConstructor.CONSTRUCTOR_NAME))
        || (owner.isEquivalentTo(Executors.class) && called.startsWith("new"));
  }

  private static String outer(String name) {
    int nested = name.indexOf('$');
    return (nested < 0 ? name : name.substring(0, nested)).replace(GATEWAY, "");
  }
}
