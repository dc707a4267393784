package io.feedbridge.gateway.podping;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodpingsTest {

  private static final String FEED = "http://feeds.example/podcast";
  private static final long HEAD = 90_000_000;

  private final ManualTimer timer = new ManualTimer(StageBench.START);
  private final FakeHive hive = new FakeHive(HEAD);
  private SimpleMeterRegistry registry = new SimpleMeterRegistry();

  /** Counters hold it weakly. */
  private Meters meters = new Meters(registry, timer.clock());

  private final AtomicBoolean owns = new AtomicBoolean(true);
  @TempDir Path data;
  private StageBench bench;
  private Podpings podpings;

  @BeforeEach
  void start() {
    bench = new StageBench(data, timer, store -> store, work -> work);
    bench.subscribed(FEED, Format.ATOM);
    podpings = begun();
  }

  private Podpings begun() {
    registry = new SimpleMeterRegistry();
    meters = new Meters(registry, timer.clock());
    Podpings begun =
        new Podpings(
                bench.store(),
                bench.intake(),
                hive,
                URI.create("https://hive.example"),
                owns::get,
                Runnable::run,
                timer)
            .watchedBy(meters);
    begun.start();
    return begun;
  }

  @AfterEach
  void stop() {
    podpings.close();
    bench.close();
  }

  private static String iris(String... urls) {
    return "{\"version\":\"1.1\",\"medium\":\"podcast\",\"reason\":\"update\",\"iris\":[%s]}"
        .formatted(List.of(urls).stream().collect(Collectors.joining("\",\"", "\"", "\"")));
  }

  private void next() {
    timer.advance(Podpings.BLOCK);
  }

  private long pings() {
    return Math.round(registry.get("feedbridge.podping.pings").functionCounter().count());
  }

  private double gauge(String name) {
    return registry.get("feedbridge.podping." + name).gauge().value();
  }

  @Test
  void a_ping_for_a_feed_that_is_followed_is_a_light_ping() {
    assertThat(bench.work().waiting()).isZero();
    hive.add("good", "pp_podcast_update", iris("http://other.example/", FEED));

    next();

    assertThat(pings()).isEqualTo(1);
    assertThat(bench.work().waiting()).isEqualTo(1);
    assertThat(gauge("up")).isEqualTo(1);
    assertThat(gauge("behind")).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "good;podping;{'version':'0.3','urls':['http://feeds.example/podcast']};1",
        "good;pp_video_live;{'iris':['http://feeds.example/podcast','http://feeds.example/podcast']};1",
        "bad;podping;{'iris':['http://feeds.example/podcast']};0",
        "good;follow;{'iris':['http://feeds.example/podcast']};0",
        "good;pp_podcast_update;{'iris':'http://feeds.example/podcast'};0",
        "good;pp_podcast_update;{'iris':[1,null,'gopher://x','http://feeds.example/podcast']};1",
        "good;pp_podcast_update;no JSON;0",
        "good;pp_podcast_update;[];0"
      })
  void only_messages_of_Podping_by_its_accounts_are_taken(
      String account, String id, String json, int count) {
    hive.add(account, id, json.replace('\'', '"'));

    next();

    assertThat(pings()).isEqualTo(count);
    assertThat(gauge("behind")).isZero();
  }

  @Test
  void a_flood_in_one_block_is_looked_at_up_to_a_bound() {
    String[] many =
        IntStream.range(0, HiveBlock.MAX_OF_MESSAGE)
            .mapToObj(i -> "http://flood.example/" + i)
            .toArray(String[]::new);
    hive.add("good", "pp_podcast_update", iris(many).replace("]}", ",\"" + FEED + "\"]}"));
    next();
    assertThat(pings()).isZero();

    hive.add("good", "pp_podcast_update", iris(many));
    hive.beside("good", "pp_podcast_update", iris(many));
    hive.beside("good", "pp_podcast_update", iris(FEED));
    next();
    assertThat(pings()).isZero();

    hive.add("bad", "pp_podcast_update", iris(many));
    hive.beside("bad", "pp_podcast_update", iris(many));
    hive.beside("good", "pp_podcast_update", iris(FEED));
    next();
    assertThat(pings()).isEqualTo(1);
  }

  @Test
  void all_pages_of_accounts_are_read() {
    podpings.close();
    hive.accounts(250);
    hive.add("account00249", "podping", iris(FEED));
    podpings = begun();
    next();

    assertThat(pings()).isEqualTo(1);
    assertThat(hive.calls().stream().filter("get_following"::equals).count())
        .isGreaterThanOrEqualTo(3);
  }

  @Test
  void it_goes_on_behind_the_stored_block_and_skips_what_is_older_than_an_hour() {
    hive.add(Podpings.MAX_BLOCKS);
    next();
    podpings.close();
    hive.add("good", "podping", iris(FEED));
    hive.add(30);
    podpings = begun();
    assertThat(pings()).isEqualTo(1);
    next();
    podpings.close();
    hive.add("good", "podping", iris(FEED));
    hive.add(Podpings.MAX_BEHIND + 5);

    podpings = begun();

    assertThat(pings()).isZero();
    assertThat(registry.get("feedbridge.podping.skipped").functionCounter().count()).isPositive();
  }

  @Test
  void blocks_that_the_chain_replaced_are_read_again() {
    hive.add(5);
    next();
    long end = hive.head();
    hive.forkFrom(end - 2);
    hive.add("good", "podping", iris(FEED));
    next();
    next();

    assertThat(pings()).isEqualTo(1);
    assertThat(gauge("behind")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"<html>busy</html>", "{\"error\":{\"message\":\"no\"}}", "{\"result\":7}", "[]"})
  void a_node_that_fails_is_asked_again_later_and_nothing_is_lost(String answer) {
    hive.answer(answer);
    hive.add("good", "podping", iris(FEED));
    next();
    assertThat(gauge("up")).isZero();
    int calls = hive.calls().size();
    next();
    assertThat(hive.calls()).hasSize(calls);
    hive.answer("");

    timer.advance(Duration.ofMinutes(1));

    assertThat(gauge("up")).isEqualTo(1);
    assertThat(pings()).isEqualTo(1);
  }

  @Test
  void a_process_that_does_not_own_the_store_asks_nothing() {
    podpings.close();
    owns.set(false);
    int calls = hive.calls().size();
    podpings = begun();

    timer.advance(Duration.ofMinutes(1));

    assertThat(hive.calls()).hasSize(calls);
  }
}
