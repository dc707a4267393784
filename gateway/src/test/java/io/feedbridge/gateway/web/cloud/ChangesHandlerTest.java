package io.feedbridge.gateway.web.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.database.Database;
import io.feedbridge.gateway.store.sql.feeds.Pings;
import io.feedbridge.gateway.store.sqlite.SqliteBackend;
import io.feedbridge.gateway.store.upstream.SitePing;
import io.feedbridge.gateway.web.common.CallerThreads;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** changes.xml, shortChanges.xml and the hourly archives, on an injected clock. */
class ChangesHandlerTest {

  /** The pings and their count. */
  private static final int READS_OF_A_LIST = 2;

  private static final Instant NOW = Instant.parse("2026-03-01T14:30:20Z");

  @TempDir private Path folder;
  private SqliteBackend backend;
  private int reads;
  private int failures;
  private final ManualTimer timer = new ManualTimer(NOW);
  private Pings pings;
  private ChangesHandler face;

  @BeforeEach
  void open() {
    backend = new SqliteBackend(folder);
    pings = new Pings(StageBench.faulty(Database.class, backend.database(), this::read));
    face = new ChangesHandler(pings, timer.clock(), Runnable::run, turns(Runnable::run));
  }

  @AfterEach
  void close() {
    backend.close();
  }

  private @Nullable Object read(
      String method, @Nullable Object[] arguments, Callable<@Nullable Object> rest)
      throws Exception {
    if (method.startsWith("read") && failures > 0) {
      failures--;
      throw new IllegalStateException("the disk");
    }
    reads += method.startsWith("read") ? 1 : 0;
    return rest.call();
  }

  private static CallerThreads turns(Executor threads) {
    return new CallerThreads(
        request -> request.peer().getHostString(), CallerThreads.AT_ONCE, threads);
  }

  private void record(SitePing ping) {
    pings.record(ping).join();
  }

  private void ping(String name, Duration ago) {
    record(new SitePing(name, "http://" + name + ".example/", null, NOW.minus(ago)));
  }

  private static Request request(Map<String, String> path, Headers headers) {
    return new Request(
        "GET", "/", "", Map.of(), headers, new byte[0], new InetSocketAddress(0), path);
  }

  private Response changes(Headers headers) {
    return face.changes(request(Map.of(), headers)).toCompletableFuture().join();
  }

  private String shortChanges() {
    return face.shortChanges(request(Map.of(), Headers.none()))
        .toCompletableFuture()
        .join()
        .bodyAsText();
  }

  private Response archive(String year, String month, String day, String hour) {
    Map<String, String> path = Map.of("year", year, "month", month, "day", day, "hour", hour);
    return face.archive(request(path, Headers.none())).toCompletableFuture().join();
  }

  @Test
  void changes_are_those_of_the_last_hour_and_short_changes_of_five_minutes() {
    ping("old", Duration.ofMinutes(61));
    ping("hour", Duration.ofMinutes(59));
    ping("minutes", Duration.ofMinutes(4));
    ping("now", Duration.ZERO);

    String text = changes(Headers.none()).bodyAsText();

    assertThat(text)
        .contains("updated=\"Sun, 01 Mar 2026 14:30:00 GMT\" count=\"4\"")
        .containsSubsequence("name=\"now\"", "name=\"minutes\"", "name=\"hour\"")
        .doesNotContain("old");
    assertThat(shortChanges())
        .containsSubsequence("name=\"now\"", "name=\"minutes\"")
        .doesNotContain("hour");
  }

  @Test
  void when_is_the_whole_minutes_since_the_ping() {
    ping("a", Duration.ofMinutes(3));

    assertThat(changes(Headers.none()).bodyAsText()).contains("when=\"2\"");
  }

  @Test
  void they_are_read_conditionally_by_tag_or_date() {
    ping("a", Duration.ofMinutes(3));
    Response first = changes(Headers.none());
    String tag = first.headers().first("ETag").orElseThrow();
    String date = first.headers().first("Last-Modified").orElseThrow();

    for (Headers known :
        List.of(
            Headers.of("If-None-Match", tag),
            Headers.of("If-None-Match", "\"x\", W/" + tag),
            Headers.of("If-Modified-Since", date))) {
      Response second = changes(known);
      assertThat(second.status()).isEqualTo(304);
      assertThat(second.headers().first("ETag")).hasValue(tag);
      assertThat(second.body()).isEmpty();
    }
    ping("b", Duration.ZERO);
    timer.advance(Duration.ofMinutes(1));
    assertThat(changes(Headers.of("If-None-Match", tag)).status()).isEqualTo(200);
    assertThat(changes(Headers.of("If-Modified-Since", date)).status()).isEqualTo(200);
    assertThat(changes(Headers.of("If-Modified-Since", "yesterday")).status()).isEqualTo(200);
    assertThat(changes(Headers.of("If-None-Match", "\"x\"", "If-Modified-Since", date)).status())
        .isEqualTo(200);
  }

  @Test
  void the_store_is_read_once_a_minute_for_all_callers() {
    ping("a", Duration.ofMinutes(3));
    byte[] first = changes(Headers.none()).body();
    ping("b", Duration.ZERO);

    assertThat(changes(Headers.none()).body()).isSameAs(first);
    assertThat(reads).isEqualTo(READS_OF_A_LIST);

    timer.advance(Duration.ofMinutes(1));
    assertThat(changes(Headers.none()).bodyAsText()).contains("name=\"b\"");
    assertThat(reads).isEqualTo(2 * READS_OF_A_LIST);
  }

  @Test
  void callers_at_the_same_time_wait_for_one_reading_which_is_not_on_their_thread() {
    List<Runnable> tasks = new ArrayList<>();
    ChangesHandler waiting =
        new ChangesHandler(pings, timer.clock(), tasks::add, turns(tasks::add));
    ping("a", Duration.ofMinutes(3));

    CompletableFuture<Response> one =
        waiting.changes(request(Map.of(), Headers.none())).toCompletableFuture();
    CompletableFuture<Response> other =
        waiting.changes(request(Map.of(), Headers.none())).toCompletableFuture();

    assertThat(reads).isZero();
    assertThat(tasks).hasSize(1);
    tasks.remove(0).run();
    assertThat(one.join().body()).isSameAs(other.join().body());
  }

  @Test
  void archives_of_one_caller_leave_room_for_lists_and_for_archives_of_others() {
    List<Runnable> tasks = new ArrayList<>();
    ChangesHandler waiting =
        new ChangesHandler(pings, timer.clock(), tasks::add, turns(tasks::add));
    for (int hour = 10; hour < 14; hour++) {
      for (int day = 10; day < 29; day++) {
        var unused = waiting.archive(archive("192.0.2.1", day, hour));
      }
    }

    CompletableFuture<Response> other =
        waiting.archive(archive("192.0.2.2", 1, 10)).toCompletableFuture();
    CompletableFuture<Response> list =
        waiting.changes(request(Map.of(), Headers.none())).toCompletableFuture();

    assertThat(tasks).hasSizeLessThan(6);
    List.copyOf(tasks).forEach(Runnable::run);
    assertThat(other).isCompleted();
    assertThat(list).isCompleted();
  }

  private static Request archive(String caller, int day, int hour) {
    return new Request(
        "GET",
        "/",
        "",
        Map.of(),
        Headers.none(),
        new byte[0],
        new InetSocketAddress(caller, 80),
        Map.of("year", "2026", "month", "02", "day", "%02d".formatted(day), "hour", hour + ""));
  }

  @Test
  void a_reading_that_failed_is_tried_again_by_the_next_caller() {
    failures = 1;

    assertThatThrownBy(() -> changes(Headers.none())).hasMessageContaining("the disk");
    assertThat(changes(Headers.none()).status()).isEqualTo(200);
  }

  @Test
  void an_archive_is_made_once() {
    byte[] first = archive("2026", "03", "01", "01").body();

    assertThat(archive("2026", "03", "01", "01").body()).isSameAs(first);
    assertThat(reads).isEqualTo(1);
  }

  @Test
  void the_archive_of_an_hour_has_its_pings_and_never_changes() {
    record(new SitePing("begin", "u1", null, Instant.parse("2026-03-01T00:00:00Z")));
    record(new SitePing("end", "u2", null, Instant.parse("2026-03-01T00:59:59.999Z")));
    record(new SitePing("next", "u3", null, Instant.parse("2026-03-01T01:00:00Z")));

    Response first = archive("2026", "03", "01", "01");
    assertThat(first.bodyAsText())
        .contains("updated=\"Sun, 01 Mar 2026 01:00:00 GMT\" count=\"2\"")
        .contains("name=\"begin\" url=\"u1\" when=\"60\"")
        .contains("name=\"end\" url=\"u2\" when=\"0\"")
        .doesNotContain("next");
    ping("a", Duration.ZERO);
    timer.advance(Duration.ofHours(5));

    assertThat(archive("2026", "03", "01", "01").bodyAsText()).isEqualTo(first.bodyAsText());
    assertThat(archive("2026", "03", "01", "02").bodyAsText()).contains("next");
    assertThat(archive("2026", "02", "28", "24").bodyAsText()).contains("count=\"0\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026/03/01/15", "2026/03/01/00", "2026/03/01/25", "2026/02/30/01", "2026/3/01/01",
        "026/03/01/01", "2026/031/1/01", "2027/01/01/01", "a/b/c/d", "٢٠٢٦/03/01/01"
      })
  void there_is_no_archive_of_the_hour_under_way_nor_of_what_is_no_hour(String path) {
    String[] parts = path.split("/", -1);
    assertThat(archive(parts[0], parts[1], parts[2], parts[3]).status()).isEqualTo(404);
  }
}
