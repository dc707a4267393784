package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.feedbridge.gateway.attempts.Attempt;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.sql.subscriptions.SubscriptionQueries;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.websub.DocumentWishes;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Digests: the newest entries together from time to time, even if none is new. */
@Timeout(300)
class DigestsTest {

  private static final Duration DAY = Duration.ofDays(1);

  @TempDir Path data;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<AutoCloseable> open = new ArrayList<>();
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    use(new Bed(data.resolve("first")).started());
    feed = bed.feed(Bed.TOPIC);
  }

  private void use(Bed other) {
    bed = other;
    open.add(0, other);
    Digests digests = new Digests(bed.store.laggards(), DAY, threads, bed.timer);
    open.add(0, digests);
    digests.start();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    threads.shutdownNow();
  }

  private long subscribe(String path, Format format, boolean digest) {
    return bed.subscribe(
        feed,
        bed.subscriber.url(path),
        Bed.terms(format, "secret").wishing(DocumentWishes.NONE.withDigest(digest)));
  }

  private long subscribe(String path, Format format) {
    long id = subscribe(path, format, true);
    // New ones are looked for once in a minute.
    bed.timer.turn(Duration.ofMinutes(1));
    bed.until(() -> known(id).isPresent());
    return id;
  }

  private Optional<Instant> known(long id) {
    return bed.store
        .subscriptionQueries()
        .find(new SubscriptionQueries.Key(false, id))
        .map(SubscriptionQueries.Entry::nextDigestAt);
  }

  private Instant nextDigest(long id) {
    return known(id).orElseThrow();
  }

  private void turnToDigest(long id) {
    bed.timer.turn(Duration.between(bed.timer.now(), nextDigest(id)));
  }

  private long append(String... entries) {
    long event = bed.append(feed, entries);
    bed.awaitRound(feed, event);
    return event;
  }

  private List<Request> received(String path) {
    return bed.subscriber.received(path);
  }

  private void awaitReceived(String path, int count) {
    bed.until(() -> received(path).size() >= count);
    assertThat(received(path)).hasSize(count);
  }

  private String header(String path, int number, String name) {
    return received(path).get(number).header(name).orElse("");
  }

  private String body(String path, int number) {
    return Bed.body(received(path).get(number));
  }

  @Test
  void a_digest_has_the_newest_ten_entries_and_is_marked() {
    append(IntStream.range(0, 12).mapToObj(i -> "entry" + i).toArray(String[]::new));
    long id = subscribe("json", Format.JSON);
    long other = subscribe("atom", Format.ATOM);
    turnToDigest(id);
    awaitReceived("json", 1);
    bed.timer.turn(Duration.between(bed.timer.now(), bed.timer.now().plus(DAY)));
    bed.until(() -> !received("atom").isEmpty());
    assertThat(other).isNotEqualTo(id);

    assertThat(body("json", 0)).startsWith("{\"digest\":true,");
    assertThat(body("json", 0).split("\"id\":\"entry", -1)).hasSize(11);
    assertThat(body("atom", 0))
        .containsPattern("<feed [^>]*digest=\"true\"")
        .contains("http://superfeedr.com/xmpp-pubsub-ext");
    assertThat(header("json", 0, "Feedbridge-Digest")).isEqualTo("true");
    assertThat(header("json", 0, "Feedbridge-Event")).startsWith("digest-");
    assertThat(header("json", 0, "X-Hub-Signature")).startsWith("sha256=");
  }

  @Test
  void it_is_on_record_as_a_digest_and_as_the_delivery_of_no_event() {
    append("a");
    long id = subscribe("one", Format.JSON);
    turnToDigest(id);
    awaitReceived("one", 1);

    bed.until(() -> bed.attempts.of(id).stream().anyMatch(one -> one.outcome() != null));

    assertThat(bed.attempts.of(id))
        .extracting(Attempt::kind, Attempt::eventId)
        .containsExactly(tuple(Attempt.Kind.DIGEST, 0L));
  }

  @Test
  void it_comes_once_in_each_period_beside_the_events() {
    long id = subscribe("one", Format.JSON);
    for (int i = 1; i <= 3; i++) {
      Instant due = nextDigest(id);
      turnToDigest(id);
      awaitReceived("one", i);
      bed.until(() -> nextDigest(id).equals(due.plus(DAY)));
      bed.until(() -> bed.rows().stream().noneMatch(row -> row.inFlight()));
    }
    append("fresh");
    awaitReceived("one", 4);
    assertThat(header("one", 3, "Feedbridge-Digest")).isEmpty();
  }

  @Test
  void the_first_ones_are_spread_over_the_period() {
    List<Instant> due =
        IntStream.range(0, 5)
            .mapToObj(i -> nextDigest(subscribe("one" + i, Format.JSON)))
            .distinct()
            .toList();
    assertThat(due).hasSize(5);
    assertThat(due).allMatch(at -> !at.isAfter(bed.timer.now().plus(DAY)));
  }

  @Test
  void after_an_outage_it_comes_once() {
    long id = subscribe("one", Format.JSON);
    bed.stop();

    use(bed.afterStop(Duration.ofDays(5)).started());

    awaitReceived("one", 1);
    bed.until(() -> nextDigest(id).isAfter(bed.timer.now()));
    assertThat(nextDigest(id)).isBeforeOrEqualTo(bed.timer.now().plus(DAY));
    append("fresh");
    awaitReceived("one", 2);
  }

  @Test
  void subscribing_again_without_it_ends_it() {
    long id = subscribe("one", Format.JSON);
    subscribe("one", Format.JSON, false);

    assertThat(known(id)).isEmpty();
    assertThat(bed.store.laggards().nextDigest()).isEmpty();
  }

  @Test
  void L2_it_waits_for_a_request_under_way_and_events_wait_for_it() {
    long id = subscribe("slow", Format.JSON);
    CompletableFuture<Response> first = bed.gate("slow");
    append("a");
    bed.until(() -> received("slow").size() == 1 && bed.row(id).inFlight());
    turnToDigest(id);
    bed.subscriber.answer("slow", 503);
    first.complete(Response.noContent());
    bed.until(
        () -> {
          bed.timer.turn(Duration.ofMinutes(1));
          return received("slow").size() >= 2 && bed.attempts(id) > 0;
        });
    assertThat(header("slow", 1, "Feedbridge-Digest")).isEqualTo("true");
    String digest = header("slow", 1, "Feedbridge-Event");
    append("b");

    bed.subscriber.answer("slow", 204);
    bed.until(
        () -> {
          bed.timer.turn(Duration.ofHours(1));
          return received("slow").stream().anyMatch(one -> Bed.body(one).contains("\"b\""));
        });

    List<Request> all = received("slow");
    int last = all.size() - 1;
    while (!Bed.body(all.get(last)).contains("\"b\"")) {
      last--;
    }
    assertThat(all.subList(1, last))
        .allMatch(one -> one.header("Feedbridge-Event").orElse("").equals(digest));
  }
}
