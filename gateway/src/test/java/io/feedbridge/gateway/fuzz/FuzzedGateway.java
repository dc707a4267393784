package io.feedbridge.gateway.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.StubServer;
import io.feedbridge.gateway.testing.TestGateway;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * A gateway that follows feeds of an origin which answers at random, beside one well-behaved feed.
 * After each round every request has its answer, the well-behaved feed is delivered, and no part of
 * the gateway has reported a defect of its own.
 */
final class FuzzedGateway implements AutoCloseable {

  /** Topics of a round. */
  private static final int TOPICS = 12;

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Random random;
  private final FakeHub hub = new FakeHub();
  private final FakeOrigin calm = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private final StubServer odd = StubServer.serving(this::answer);
  private final TestGateway gateway;
  private final OddAnswers answers;
  private final Defects defects = new Defects();
  private final String calmTopic;
  private int rounds;

  FuzzedGateway(Path data, long seed) {
    random = new Random(seed);
    answers = new OddAnswers(random, hub.url());
    gateway =
        TestGateway.with(data, TestGateway.LOOPBACK, TestGateway.LOOPBACK, Duration.ofSeconds(5));
    defects.start();
    calmTopic = calm.rss("calm.xml", "", "e0");
    assertThat(gateway.subscribe(calmTopic, subscriber.url("calm")).statusCode()).isEqualTo(202);
    await().atMost(PATIENCE).until(() -> !subscriber.asked("calm").isEmpty());
    gateway.settle();
  }

  /** What the gateway itself reports as its own failure. */
  private static final class Defects extends AppenderBase<ILoggingEvent> {
    private final List<String> reported = new CopyOnWriteArrayList<>();
    private final Logger root = (Logger) LoggerFactory.getLogger("io.feedbridge.gateway");

    @Override
    public void start() {
      super.start();
      root.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
      if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
        reported.add(
            event.getFormattedMessage()
                + (event.getThrowableProxy() == null
                    ? ""
                    : "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy())));
      }
    }

    @Override
    public void stop() {
      root.detachAppender(this);
      super.stop();
    }
  }

  private CompletionStage<Response> answer(Request request) {
    String path = request.path();
    int end = path.indexOf('/', 1);
    // What it decoded cannot stand in a header.
    String below = (end < 0 ? path : path.substring(0, end)).replaceAll("\\p{Cntrl}", "");
    synchronized (random) {
      return CompletableFuture.completedFuture(answers.answer(odd.url(), below));
    }
  }

  /** Subscribes, publishes, delivers, and waits for all of it. */
  void round() {
    rounds++;
    List<String> topics = new ArrayList<>();
    synchronized (random) {
      for (int i = 0; i < TOPICS; i++) {
        String below = "/r" + rounds + "t" + i;
        topics.add(odd.url() + (random.nextBoolean() ? below : answers.path(below)));
      }
    }
    topics.forEach(topic -> gateway.subscribe(topic, subscriber.url("fuzz")));
    settle("the requests of subscribers");
    for (int i = 0; i < 3; i++) {
      for (String topic : topics) {
        gateway.form("/hub", "hub.mode", "publish", "hub.url", topic);
        deliver(topic);
      }
      settle("pings and deliveries");
    }
    topics.forEach(
        topic ->
            gateway.form(
                "/hub",
                "hub.mode",
                "unsubscribe",
                "hub.topic",
                topic,
                "hub.callback",
                subscriber.url("fuzz")));
    settle("the ends of subscriptions");
    String entry = "e" + rounds;
    calm.rss("calm.xml", "", entry);
    gateway.form("/hub", "hub.mode", "publish", "hub.url", calmTopic);
    await()
        .alias("the delivery of a well-behaved feed in round " + rounds)
        .atMost(PATIENCE)
        .until(() -> subscriber.bodies("calm").stream().anyMatch(body -> body.contains(entry)));
    assertThat(defects.reported).as("round " + rounds).isEmpty();
  }

  private void deliver(String topic) {
    if (hub.subscribers(topic) > 0) {
      String document;
      synchronized (random) {
        document = answers.document();
      }
      var unused = hub.deliver(topic, "application/rss+xml", document);
    }
  }

  private void settle(String what) {
    await()
        .alias(what + " in round " + rounds)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(gateway.rows()::settled);
  }

  /** Rounds so far. */
  int rounds() {
    return rounds;
  }

  /** Every pending request has been answered, and no work was given up. */
  void assertWell() {
    assertThat(gateway.rows().count("work")).isZero();
    assertThat(gateway.rows().count("verification WHERE attempts = 0")).isZero();
    assertThat(gateway.get("/metrics").body().lines())
        .filteredOn(line -> line.startsWith("feedbridge_work_given_up_total"))
        .isNotEmpty()
        .allMatch(line -> line.endsWith(" 0.0"));
    assertThat(gateway.get("/health").statusCode()).isEqualTo(200);
    assertThat(defects.reported).isEmpty();
  }

  @Override
  public void close() {
    defects.stop();
    gateway.close();
    odd.close();
    subscriber.close();
    calm.close();
    hub.close();
  }
}
