package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.hosts.HostBulkhead;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FakeSubscriber;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One callback host and port behind which many subscribers live: silent ones delay no other. The
 * clock of the gateway stands still unless a test turns it, so a delivery that arrives waited for
 * no pause.
 */
@Timeout(300)
class SharedHostTest {

  private static final int SILENT = 6;
  private static final int GOOD = 20;

  @TempDir Path data;
  private final CompletableFuture<Response> never = new CompletableFuture<>();
  private FakeSubscriber host;
  private Bed bed;
  private long feed;

  @BeforeEach
  void start() {
    host = new FakeSubscriber();
    bed = new Bed(data).started();
    feed = bed.feed(Bed.TOPIC);
  }

  @AfterEach
  void stop() {
    never.complete(Response.empty(200));
    bed.close();
    host.close();
  }

  private List<String> silent() {
    List<String> callbacks = new ArrayList<>();
    for (int i = 0; i < SILENT; i++) {
      host.answer("silent" + i, request -> never);
      callbacks.add(host.url("silent" + i));
    }
    return callbacks;
  }

  private List<String> good() {
    return bed.callbacks(host, "good", GOOD);
  }

  private boolean allHave(List<Long> events) {
    for (int i = 0; i < GOOD; i++) {
      if (!host.received("good" + i).stream().map(Bed::eventId).toList().equals(events)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Every silent callback has been tried so often; the clock is turned by as little as it takes.
   */
  private void awaitSilences(int tries) {
    bed.until(
        () -> {
          if (tries > 1 && bed.client.inFlight() == 0) {
            bed.timer.turn(Duration.ofSeconds(1));
          }
          return bed.rows().stream().filter(row -> row.attempts() >= tries).count() == SILENT;
        });
  }

  @Test
  void silent_callbacks_at_a_host_that_answers_others_never_open_it() {
    bed.subscribeAll(feed, silent(), Bed.terms(Format.ATOM, null));
    bed.subscribeAll(feed, good(), Bed.terms(Format.ATOM, null));
    List<Long> events = new ArrayList<>(List.of(bed.append(feed, "a")));
    bed.until(() -> allHave(events));
    awaitSilences(1);
    assertThat(bed.openHosts()).isZero();

    events.add(bed.append(feed, "b"));
    bed.until(() -> allHave(events));

    bed.timer.turn(HostBulkhead.LONGEST_PAUSE);
    awaitSilences(2);
    assertThat(bed.openHosts()).isZero();
    events.add(bed.append(feed, "c"));
    bed.until(() -> allHave(events));
  }

  @Test
  void callbacks_that_answer_do_not_wait_for_the_pause_of_a_host_that_silent_ones_opened() {
    bed.subscribeAll(feed, silent(), Bed.terms(Format.ATOM, null));
    long other = bed.feed("https://feeds.example/other.xml");
    bed.subscribeAll(other, good(), Bed.terms(Format.ATOM, null));
    bed.append(feed, "a");
    awaitSilences(1);
    assertThat(bed.openHosts()).isEqualTo(1);

    long event = bed.append(other, "b");

    bed.until(() -> allHave(List.of(event)));
    assertThat(bed.openHosts()).isZero();
  }
}
