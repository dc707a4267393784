package io.feedbridge.gateway.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Request;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A gateway with an origin, a hub, a cloud and subscribers around it, each on its own port.
 *
 * @param origin of the feeds
 * @param hub upstream
 * @param cloud upstream
 * @param subscriber downstream
 */
public record World(
    FakeOrigin origin, FakeHub hub, FakeCloud cloud, FakeSubscriber subscriber, TestGateway gateway)
    implements AutoCloseable {

  /** How often a wait looks again. */
  private static final Duration LOOK = Duration.ofMillis(10);

  /** Around this gateway, which is closed with it. */
  public static World around(TestGateway gateway) {
    return new World(
        new FakeOrigin(), new FakeHub(), new FakeCloud(), new FakeSubscriber(), gateway);
  }

  /** With a gateway that may call loopback addresses and hardly ever polls. */
  public static World on(Path data) {
    return around(TestGateway.on(data));
  }

  /** Subscribes by WebSub and waits until the subscription is active. */
  public void subscribe(String topic, String path, String... more) {
    assertThat(gateway.subscribe(topic, subscriber.url(path), more).statusCode()).isEqualTo(202);
    awaitSubscription(path);
  }

  /** Waits until something holds, looking often. */
  public static void until(Callable<Boolean> condition) {
    await().pollDelay(Duration.ZERO).pollInterval(LOOK).until(condition);
  }

  /** Waits until a subscription of a path is active. */
  public void awaitSubscription(String path) {
    String row = "subscription WHERE callback = '" + subscriber.url(path) + "'";
    until(() -> gateway.rows().count(row) == 1);
  }

  /** Registers by rssCloud; it must succeed. */
  public void register(String feed, String path) {
    assertThat(gateway.pleaseNotify(subscriber, path, feed).body()).contains("success=\"true\"");
  }

  /** Says that a topic changed, and waits until everybody who is to know was told. */
  public void publish(String topic) {
    assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .isEqualTo(204);
    gateway.settle();
  }

  /** The one delivery that a path got, once it is there. */
  public Request delivery(String path) {
    return deliveries(path, 1).get(0);
  }

  /** So many deliveries to a path, once they are there. */
  public List<Request> deliveries(String path, int count) {
    until(() -> subscriber.received(path).size() >= count);
    assertThat(subscriber.received(path)).hasSize(count);
    return subscriber.received(path);
  }

  @Override
  public void close() {
    gateway.close();
    subscriber.close();
    cloud.close();
    hub.close();
    origin.close();
  }
}
