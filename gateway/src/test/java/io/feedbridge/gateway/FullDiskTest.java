package io.feedbridge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.store.sqlite.FullDisk;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A gateway whose disk is full says so, takes nothing it could lose, and goes on when it can. */
@Timeout(300)
class FullDiskTest {

  @TempDir Path data;
  private World world;
  private String topic;

  @BeforeEach
  void start() {
    world = World.on(data);
    topic = world.origin().rss("feed.xml", "", "one");
    world.subscribe(topic, "subscriber");
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private TestGateway gateway() {
    return world.gateway();
  }

  private HttpResponse<String> ping() {
    return gateway().form("/ping", "url", topic);
  }

  private JsonNode health(int status) throws Exception {
    HttpResponse<String> answer = gateway().get("/health");
    assertThat(answer.statusCode()).isEqualTo(status);
    return new ObjectMapper().readTree(answer.body());
  }

  private static void assertUnavailable(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).hasValue("5");
  }

  @Test
  void it_answers_503_and_recovers_without_a_restart_and_without_a_loss() throws Exception {
    world.origin().rss("feed.xml", "", "two", "one");
    world.publish(topic);
    assertThat(world.delivery("subscriber").body()).isNotEmpty();
    Instant before = Instant.now();

    FullDisk disk = FullDisk.under(gateway().store());

    assertUnavailable(ping());
    assertUnavailable(gateway().form("/hub", "hub.mode", "publish", "hub.url", topic));
    assertUnavailable(gateway().subscribe(topic, world.subscriber().url("other")));
    assertUnavailable(gateway().pleaseNotify(world.subscriber(), "cloud", topic));
    JsonNode down = health(503);
    assertThat(down.get("status").asText()).isEqualTo("down");
    assertThat(down.get("reason").asText()).isEqualTo("the disk is full");
    assertThat(Instant.parse(down.get("since").asText())).isBetween(before, Instant.now());
    HttpResponse<String> unready = gateway().get("/ready");
    assertUnavailable(unready);
    assertThat(unready.body()).contains("the disk is full");
    assertThat(gateway().meter("feedbridge_store_writable")).isZero();

    disk.makeRoom();
    World.until(() -> gateway().get("/health").statusCode() == 200);

    assertThat(health(200).get("status").asText()).isEqualTo("up");
    assertThat(gateway().get("/ready").statusCode()).isEqualTo(200);
    assertThat(gateway().meter("feedbridge_store_writable")).isEqualTo(1);
    world.origin().rss("feed.xml", "", "three", "two", "one");
    assertThat(ping().statusCode()).isEqualTo(200);
    assertThat(world.deliveries("subscriber", 2).get(1).body()).asString().contains("three");
    assertThat(gateway().subscribe(topic, world.subscriber().url("other")).statusCode())
        .isEqualTo(202);
  }

  @Test
  void what_was_acknowledged_before_is_worked_off_afterwards() {
    int fetches = world.origin().requests("feed.xml").size();
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.origin().rss("feed.xml", "", "two", "one");
    world.origin().holdBack("feed.xml", gate);
    assertThat(ping().statusCode()).isEqualTo(200);
    World.until(() -> world.origin().requests("feed.xml").size() > fetches);

    // The fetch is answered when its outcome cannot be written.
    FullDisk disk = FullDisk.under(gateway().store());
    gate.complete(null);
    assertUnavailable(ping());
    disk.makeRoom();

    assertThat(world.delivery("subscriber").body()).asString().contains("two");
  }
}
