package io.feedbridge.gateway.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.TrackerPolicy;
import io.feedbridge.gateway.guard.UrlPatterns;
import io.feedbridge.gateway.ingest.StageBench;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.store.sql.deliveries.Notices;
import io.feedbridge.gateway.store.sql.deliveries.Notices.Stored;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnEventsTest {

  private final ManualTimer timer = new ManualTimer(StageBench.START);
  private final ActivityLog activity = new ActivityLog(timer.clock());
  @TempDir Path data;
  private StageBench bench;
  private OwnEvents events;

  @BeforeEach
  void start() {
    bench = new StageBench(data, timer, store -> store, work -> work);
    events = new OwnEvents(bench.store(), activity, bench.intake(), Runnable::run, timer);
    events.start();
  }

  @AfterEach
  void stop() {
    events.close();
    bench.close();
  }

  private void tell(Notice.Type type, int count) {
    for (int i = 0; i < count; i++) {
      activity.tell(type, "http://feeds.example/" + i, "Sentence " + i + ".");
    }
  }

  private List<Stored> stored() {
    return bench.store().notices().newest();
  }

  private String document(String topic) {
    return new String(events.find(topic).orElseThrow().bytes(), UTF_8);
  }

  @Test
  void each_topic_has_the_events_of_its_types() {
    tell(Notice.Type.FEED_ERROR, 1);
    tell(Notice.Type.WEBHOOK_DISABLED, 1);

    assertThat(document(GatewayTopic.BASE))
        .contains("gateway.feed.error", "gateway.webhook.disabled");
    assertThat(document(GatewayTopic.of(List.of("gateway.feed.error"))))
        .contains("gateway.feed.error", "http://feeds.example/0", "Sentence 0.")
        .doesNotContain("gateway.webhook.disabled");
    assertThat(events.find("http://feeds.example/")).isEmpty();
  }

  @Test
  void one_type_has_60_in_an_hour_and_the_next_hour_says_how_many_were_left_out() {
    tell(Notice.Type.FEED_ERROR, OwnEvents.MAX_AN_HOUR + 7);
    tell(Notice.Type.FEED_GONE, 1);
    assertThat(stored()).hasSize(OwnEvents.MAX_AN_HOUR + 1);

    timer.advance(Duration.ofHours(1));
    tell(Notice.Type.FEED_ERROR, 1);

    assertThat(stored().get(0).text()).isEqualTo("Sentence 0. 7 before it were left out.");
  }

  @Test
  void what_a_kill_kept_from_being_told_is_told_after_the_start() {
    bench.subscribed(GatewayTopic.BASE, Format.ATOM);
    events.close();
    bench
        .store()
        .notices()
        .add(List.of(new Stored(0, timer.clock().instant(), "gateway.feed.gone", "", "Gone.")))
        .join();
    assertThat(bench.work().waiting()).isZero();

    events = new OwnEvents(bench.store(), activity, bench.intake(), Runnable::run, timer);
    events.start();

    World.until(() -> bench.work().waiting() == 1);
  }

  /** A list of permitted hosts is about the topics of others. */
  @Test
  void such_a_topic_is_permitted_whatever_hosts_are() {
    Policies policies =
        Policies.of(
            UrlPatterns.parse(List.of("feeds.example")),
            UrlPatterns.ALL,
            AddressPolicy.allowing(List.of(), List.of()),
            URI.create("http://me.example"),
            TrackerPolicy.OPEN);

    assertThat(policies.permitTopic(GatewayTopic.BASE)).isTrue();
    assertThat(policies.permitTopic("http://other.example/")).isFalse();
  }

  @Test
  void the_newest_500_are_kept() {
    List<Stored> many =
        IntStream.rangeClosed(1, Notices.MAX + 20)
            .mapToObj(i -> new Stored(0, timer.clock().instant(), "t", "", "text " + i))
            .toList();

    bench.store().notices().add(many).join();

    assertThat(stored()).hasSize(Notices.MAX);
    assertThat(stored().get(0).text()).isEqualTo("text 520");
    assertThat(stored().get(Notices.MAX - 1).text()).isEqualTo("text 21");
  }
}
