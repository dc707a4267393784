package io.feedbridge.gateway.edge;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.World;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Secrets are in no answer but the one that makes them, in no log, and in no file as they are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SecretsTest {

  private static final String SUBSCRIBER = "hidden-of-a-subscriber";
  private static final String VERIFY_TOKEN = "hidden-token";
  private static final String PUBLISHER = "hidden-of-a-publisher";
  private static final String WEBHOOK = "whsec_aGlkZGVuLW9mLWEtd2ViaG9vay10aGF0LWlzLWxvbmc=";
  private static final String NEXT = "whsec_aGlkZGVuLW9mLWEtd2ViaG9vay10aGF0LWlzLW5leHQ=";

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private @Nullable Level before;
  private Path data;
  private World world;
  private String upstream;
  private String password;

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("io.feedbridge");
  }

  @BeforeAll
  void start(@TempDir Path folder) {
    data = folder;
    before = logger().getLevel();
    logger().setLevel(Level.DEBUG);
    // That is for this test alone.
    logger().setAdditive(false);
    logged.start();
    logger().addAppender(logged);
    world = World.on(folder);
    String link = "<atom:link rel=\"hub\" href=\"" + world.hub().url() + "\"/>";
    String feed = world.origin().rss("feed.xml", link, "one");
    world.subscribe(
        feed,
        "one",
        "hub.secret",
        SUBSCRIBER,
        "hub.verify",
        "async",
        "hub.verify_token",
        VERIFY_TOKEN);
    World.until(() -> world.hub().subscribers(feed) == 1);
    upstream = Http.first(world.hub().requests().get(0), "hub.secret");
    json(
        "POST",
        "/api/v1/publishers",
        "{\"topic\":\"%s\",\"secret\":\"%s\"}".formatted(feed, PUBLISHER));
    json(
        "POST",
        "/api/v1/webhooks",
        "{\"url\":\"%s\",\"topics\":[\"%s\"],\"secret\":\"%s\",\"verified\":true}"
            .formatted(world.subscriber().url("hook"), feed, WEBHOOK));
    json("POST", "/api/v1/webhooks/1/rotate-secret", "{\"secret\":\"%s\"}".formatted(NEXT));
    password = world.gateway().addUser("reader");
    world.subscriber().answer("one", 500);
    world.origin().rss("feed.xml", link, "two", "one");
    world.publish(feed);
  }

  private String json(String method, String path, String body) {
    return world.gateway().json(method, path, body).body();
  }

  @AfterAll
  void stop() {
    world.close();
    logger().detachAppender(logged);
    logger().setAdditive(true);
    logger().setLevel(before);
  }

  private void assertShowsNone(String text) {
    assertThat(text)
        .doesNotContain(SUBSCRIBER, VERIFY_TOKEN, PUBLISHER, WEBHOOK, NEXT, upstream, password)
        .doesNotContain(WEBHOOK.substring("whsec_".length()), "hidden-");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/feeds",
        "/api/v1/feeds/1",
        "/api/v1/subscriptions",
        "/api/v1/subscriptions/1",
        "/api/v1/subscriptions/1/deliveries",
        "/api/v1/subscriptions/webhook-1",
        "/api/v1/subscriptions/webhook-1/deliveries",
        "/api/v1/webhooks",
        "/api/v1/webhooks/1",
        "/api/v1/publishers",
        "/api/v1/upstreams",
        "/api/v1/events",
        "/api/v1/export",
        "/live",
        "/log?format=json",
        "/metrics",
        "/health",
        "/ready"
      })
  void no_page_shows_one(String path) {
    var answer = world.gateway().get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertShowsNone(answer.body());
  }

  @Test
  void no_answer_to_a_change_shows_one() {
    assertShowsNone(json("PATCH", "/api/v1/webhooks/1", "{\"description\":\"x\"}"));
    assertShowsNone(json("POST", "/api/v1/webhooks/1/test", ""));
    assertShowsNone(json("POST", "/api/v1/webhooks/1/disable", ""));
    assertShowsNone(json("POST", "/api/v1/webhooks/1/enable", ""));
    assertShowsNone(json("POST", "/api/v1/subscriptions/1/retry", ""));
  }

  @Test
  void no_refusal_repeats_one() {
    String feed = world.origin().url("feed.xml");
    assertShowsNone(
        world
            .gateway()
            .subscribe(feed, world.subscriber().url("two"), "hub.secret", SUBSCRIBER.repeat(20))
            .body());
    assertShowsNone(
        world
            .gateway()
            .subscribe(feed, "nonsense", "hub.secret", SUBSCRIBER, "hub.verify_token", VERIFY_TOKEN)
            .body());
    assertShowsNone(
        json("POST", "/api/v1/webhooks", "{\"url\":\"x\",\"secret\":\"" + SUBSCRIBER + "\"}"));
    assertShowsNone(
        json("POST", "/api/v1/publishers", "{\"secret\":\"" + PUBLISHER + "\", nonsense"));
    assertShowsNone(
        world.gateway().form("/hub", "hub.mode", "nonsense", "hub.secret", SUBSCRIBER).body());
  }

  @Test
  void no_line_of_the_log_has_one() {
    assertThat(logged.list).isNotEmpty();
    for (ILoggingEvent event : List.copyOf(logged.list)) {
      assertShowsNone(event.getFormattedMessage() + event.getKeyValuePairs());
      if (event.getThrowableProxy() != null) {
        assertShowsNone(String.valueOf(event.getThrowableProxy().getMessage()));
      }
    }
  }

  @Test
  void no_file_of_the_store_has_one() throws Exception {
    try (Stream<Path> files = Files.list(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertShowsNone(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
  }
}
