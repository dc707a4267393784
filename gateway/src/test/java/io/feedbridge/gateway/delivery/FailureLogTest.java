package io.feedbridge.gateway.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.feedbridge.gateway.delivery.send.DeliveryReports;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.deliveries.DeliveryOutcome;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.RawHost;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Every attempt that failed is told once, with its class and without secrets. */
class FailureLogTest {

  @TempDir Path data;
  private Bed bed;
  private long feed;
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void start() {
    bed = new Bed(data).started();
    feed = bed.feed(Bed.TOPIC);
    logged.start();
    logger().setLevel(Level.INFO);
    logger().addAppender(logged);
  }

  @AfterEach
  void stop() {
    logger().detachAppender(logged);
    logger().setLevel(null);
    bed.close();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(DeliveryReports.class);
  }

  private List<Map<String, String>> failures() {
    return List.copyOf(logged.list).stream()
        .filter(event -> event.getMessage().equals("A delivery failed"))
        .map(FailureLogTest::fields)
        .toList();
  }

  private static Map<String, String> fields(ILoggingEvent event) {
    Map<String, String> fields = new LinkedHashMap<>();
    event.getKeyValuePairs().forEach(pair -> fields.put(pair.key, String.valueOf(pair.value)));
    return fields;
  }

  @Test
  void each_attempt_has_a_line_of_its_own() {
    bed.subscriber.answer("path-of-its-own", 503);
    long id =
        bed.subscribe(
            feed,
            bed.subscriber.url("path-of-its-own") + "?token=unguessable",
            Bed.terms(Format.ATOM, "the secret"));
    long event = bed.append(feed, "a");
    bed.until(() -> bed.attempts(id) == 1);
    bed.timer.turn(Duration.ofSeconds(5));
    bed.until(() -> bed.attempts(id) == 2);

    assertThat(failures()).hasSize(2);
    Map<String, String> second = failures().get(1);
    assertThat(second)
        .containsEntry("subscription", Long.toString(id))
        .containsEntry("protocol", "WEBSUB")
        .containsEntry("host", CallbackHost.of(bed.subscriber.url("")))
        .containsEntry("event", Long.toString(event))
        .containsEntry("attempt", "2")
        .containsEntry("outcome", "REFUSED")
        .containsEntry("status", "503")
        .containsEntry("next", String.valueOf(bed.row(id).next()))
        .containsKeys("took", "error");
    assertThat(failures().get(0)).containsEntry("attempt", "1");
    assertThat(logged.list)
        .extracting(line -> line.getFormattedMessage() + fields(line))
        .noneMatch(
            line ->
                line.contains("path-of-its-own")
                    || line.contains("unguessable")
                    || line.contains("the secret"));
  }

  @Test
  void what_is_given_up_is_told_as_such() {
    bed.subscriber.answer("cloud", 500);
    long id = bed.register(feed, "cloud");
    bed.append(feed, "a");
    bed.until(() -> bed.attempts(id) == 1);
    bed.timer.turn(Duration.ofSeconds(6));
    bed.until(() -> bed.attempts(id) == 2);
    bed.timer.turn(Duration.ofSeconds(33));
    bed.until(() -> failures().size() == 3);

    assertThat(failures().get(2)).containsEntry("attempt", "3").containsEntry("next", "given up");
  }

  @Test
  void every_way_to_fail_has_its_class() {
    try (RawHost closes = RawHost.running(RawHost.Talk::readHead)) {
      subscribe("http://localhost:" + FreePort.next() + "/");
      subscribe(closes.at("localhost", "/"));
      subscribe("http://10.1.2.3/");
      subscribe("http://user:hidden@localhost/");
      subscribe("https://localhost:" + bed.subscriber.port() + "/");
      bed.append(feed, "a");
      bed.until(() -> failures().size() == 5);
    }

    assertThat(failures())
        .extracting(failure -> failure.get("outcome"))
        .containsExactlyInAnyOrder(
            DeliveryOutcome.CONNECT.name(),
            DeliveryOutcome.BROKEN.name(),
            DeliveryOutcome.FORBIDDEN.name(),
            DeliveryOutcome.FORBIDDEN.name(),
            DeliveryOutcome.TLS.name());
    assertThat(failures()).allMatch(failure -> failure.containsValue("none"));
    assertThat(failures()).noneMatch(failure -> failure.toString().contains("hidden"));
  }

  private void subscribe(String callback) {
    bed.subscribe(feed, callback, Bed.terms(Format.ATOM, null));
  }
}
