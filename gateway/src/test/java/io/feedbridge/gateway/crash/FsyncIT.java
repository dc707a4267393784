package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.StoredRows;
import java.io.File;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A ping is on the disk before it is answered: not only written, but synced. */
class FsyncIT {

  private static final Duration LONG = Duration.ofMinutes(1);

  /** How long an answer is waited for that should not come. */
  private static final Duration UNANSWERED = Duration.ofMillis(1_500);

  private static final String CALLS =
      "fsync,fdatasync,read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg";

  private static final Pattern REQUEST =
      Pattern.compile("(read|readv|recvfrom|recvmsg)\\b.*POST /hub HTTP");
  private static final Pattern ANSWER =
      Pattern.compile("(write|writev|sendto|sendmsg)\\b.*HTTP/1\\.1 2\\d\\d");

  /** Of the write-ahead log, successful. A call that another thread interrupts has two lines. */
  private static final Pattern SYNC =
      Pattern.compile("\\bf(data)?sync\\(\\d+<[^>]*feedbridge\\.db-wal>\\)\\s+= 0");

  private static final Pattern SYNC_BEGINS =
      Pattern.compile("^(\\d+)\\s.*\\bf(data)?sync\\(\\d+<[^>]*feedbridge\\.db-wal>.*unfinished");

  static final Mutant CARELESS =
      new Mutant(
          "without a sync",
          "store/sqlite/Connections.java",
          "config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);",
          "config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);");

  private final int port = FreePort.next();
  @TempDir Path folder;

  /** With {@code -Dcrash.mutants=all} also one that writes without a sync. */
  static List<Arguments> gateways() {
    Arguments itself = Arguments.of("itself", List.of(), true);
    return "all".equals(System.getProperty("crash.mutants")) && isInstalled("strace")
        ? List.of(itself, Arguments.of("without a sync", List.of(CARELESS), false))
        : List.of(itself);
  }

  @ParameterizedTest(name = "the gateway {0}")
  @MethodSource("gateways")
  void L1_a_ping_is_synced_between_its_request_and_its_answer(
      String name, List<Mutant> mutants, boolean synced) throws IOException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    mutants.forEach(mutant -> mutant.compileInto(classes));
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber()) {
      String feed = origin.rss("feed.xml", "", "one");
      if (isInstalled("strace")) {
        GatewayProcess.Command command = mutants.isEmpty() ? command() : command().classes(classes);
        assertThat(isSynced(command, feed, subscriber)).as(name).isEqualTo(synced);
      } else {
        assertUnansweredWhileItCannotBeWritten(feed, subscriber);
      }
    }
  }

  /** What can be shown without a tracer: the answer waits for the commit. */
  @Test
  void L1_a_ping_is_not_answered_while_its_commit_is_held_up() {
    try (FakeOrigin origin = new FakeOrigin();
        FakeSubscriber subscriber = new FakeSubscriber()) {
      assertUnansweredWhileItCannotBeWritten(origin.rss("feed.xml", "", "one"), subscriber);
    }
  }

  private GatewayProcess.Command command() {
    return new GatewayProcess.Command(folder.resolve("data"), port);
  }

  private static void subscribe(GatewayProcess gateway, String feed, FakeSubscriber subscriber) {
    gateway.awaitReady();
    gateway.form(
        "/hub", "hub.mode", "subscribe", "hub.topic", feed, "hub.callback", subscriber.url("one"));
    await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 1);
  }

  private static CompletableFuture<HttpResponse<String>> ping(GatewayProcess gateway, String feed) {
    return gateway.formAsync("/hub", "hub.mode", "publish", "hub.url", feed);
  }

  /** Whether a sync lies between the ping and its answer. */
  private boolean isSynced(GatewayProcess.Command command, String feed, FakeSubscriber subscriber)
      throws IOException {
    Path trace = folder.resolve("trace");
    String[] strace = {
      "strace", "-f", "-y", "-s", "128", "-e", "trace=" + CALLS, "-o", trace.toString()
    };
    List<String> lines;
    int before;
    try (GatewayProcess gateway = command.by(strace).launch()) {
      subscribe(gateway, feed, subscriber);
      before = Files.readAllLines(trace).size();
      assertThat(ping(gateway, feed).join().statusCode()).isBetween(200, 299);
      await().atMost(LONG).until(() -> find(Files.readAllLines(trace), ANSWER, before) >= 0);
      lines = Files.readAllLines(trace);
    }
    int request = find(lines, REQUEST, before);
    int answer = find(lines, ANSWER, request);
    assertThat(request).as("the line of the request").isNotNegative();
    return hasSync(lines.subList(request, answer));
  }

  private static int find(List<String> lines, Pattern pattern, int from) {
    for (int i = Math.max(from, 0); i < lines.size(); i++) {
      if (pattern.matcher(lines.get(i)).find()) {
        return i;
      }
    }
    return -1;
  }

  private static boolean hasSync(List<String> lines) {
    for (int i = 0; i < lines.size(); i++) {
      var begins = SYNC_BEGINS.matcher(lines.get(i));
      if (SYNC.matcher(lines.get(i)).find()
          || (begins.find()
              && find(
                      lines,
                      Pattern.compile("^" + begins.group(1) + "\\s.*f(data)?sync resumed>.*= 0"),
                      i)
                  >= 0)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private void assertUnansweredWhileItCannotBeWritten(String feed, FakeSubscriber subscriber) {
    try (GatewayProcess gateway = command().launch()) {
      subscribe(gateway, feed, subscriber);
      CompletableFuture<HttpResponse<String>> answer;
      try (StoredRows.Lock lock = StoredRows.lock(folder.resolve("data"))) {
        answer = ping(gateway, feed);
        boolean answered =
            answer
                .thenApply(reply -> true)
                .completeOnTimeout(false, UNANSWERED.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        assertThat(answered).as("answered while %s was held", lock).isFalse();
      }
      assertThat(answer.join().statusCode()).isBetween(200, 299);
    }
  }
}
