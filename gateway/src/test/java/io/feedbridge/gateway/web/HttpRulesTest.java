package io.feedbridge.gateway.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.Untouched;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.gateway.web.common.CompressedBodies;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the paths of the gateway take, and what they answer to what they do not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpRulesTest {

  private static final String FORM = "application/x-www-form-urlencoded";

  private World world;
  private Untouched before;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
    world.subscribe(world.origin().rss("feed.xml", "", "one"), "one");
    before = Untouched.of(world);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/hub",
        "/pleaseNotify",
        "/rsscloud/pleaseNotify",
        "/ping",
        "/rsscloud/ping",
        "/callback/rsscloud/x"
      })
  void a_form_over_the_bound_is_413(String path) {
    byte[] body = new byte[CompressedBodies.MAX_FORM + 1];
    Arrays.fill(body, (byte) 'a');

    assertRefused(world.gateway().post(path, FORM, body), 413);
    before.holds();
  }

  @Test
  void a_delivery_over_the_bound_is_413() {
    byte[] body = new byte[ProtocolPaths.MAX_DELIVERY + 1];

    assertRefused(world.gateway().post("/callback/websub/x", "application/rss+xml", body), 413);
    before.holds();
  }

  @ParameterizedTest
  @CsvSource({
    "/hub, application/xml",
    "/hub, text/plain",
    "/pleaseNotify, application/json",
    "/rsscloud/pleaseNotify, text/html",
    "/ping, application/json",
    "/rsscloud/ping, text/plain",
    "/callback/rsscloud/x, application/json"
  })
  void a_body_that_is_no_form_is_415(String path, String type) {
    HttpResponse<String> answer =
        world.gateway().post(path, type, "hub.mode=publish&url=http://a/".getBytes(UTF_8));

    assertRefused(answer, 415);
    assertThat(answer.body()).contains(FORM);
    before.holds();
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /pleaseNotify, POST",
    "PUT, /pleaseNotify, POST",
    "DELETE, /hub, POST",
    "PUT, /hub, POST",
    "DELETE, /ping, POST",
    "PUT, /callback/websub/x, GET",
    "DELETE, /callback/rsscloud/x, POST",
    "POST, /health, GET",
    "DELETE, /metrics, GET"
  })
  void a_method_that_a_path_does_not_know_is_405_and_told_which_it_does(
      String method, String path, String allowed) {
    HttpResponse<String> answer = world.gateway().send(method, path);

    assertRefused(answer, 405);
    assertThat(answer.headers().firstValue("Allow"))
        .hasValueSatisfying(allow -> assertThat(List.of(allow.split(",\\s*"))).contains(allowed));
    before.holds();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/nothing",
        "/hub/more",
        "/pleasenotify",
        "/callback",
        "/callback/websub/a/b",
        "/%2e/nothing"
      })
  void a_path_that_does_not_exist_is_404(String path) {
    assertRefused(world.gateway().send("GET", path), 404);
    before.holds();
  }

  @Nested
  class ACallbackThatNobodyHasGivenOut {

    @ParameterizedTest
    @ValueSource(
        strings = {"/callback/websub/unknown", "/callback/websub/%00", "/callback/websub/"})
    void is_not_found_to_a_verification_and_to_content(String path) {
      String query = "?hub.mode=subscribe&hub.topic=http%3A%2F%2Fnews.example%2F&hub.challenge=c";
      assertThat(world.gateway().get(path + query).statusCode()).isBetween(400, 404);
      assertThat(
              world
                  .gateway()
                  .post(path, "application/rss+xml", "<rss/>".getBytes(UTF_8))
                  .statusCode())
          .isBetween(400, 404);
      before.holds();
    }

    @Test
    void is_not_found_to_a_challenge_and_to_a_notification() {
      String path = "/callback/rsscloud/unknown";
      assertRefused(world.gateway().get(path + "?url=http%3A%2F%2Fa.example%2F&challenge=c"), 404);
      assertRefused(world.gateway().form(path, "url", "http://a.example/"), 404);
      before.holds();
    }

    @Test
    void is_a_bad_request_where_nothing_is_asked() {
      assertRefused(world.gateway().get("/callback/websub/unknown"), 400);
      assertRefused(world.gateway().get("/callback/rsscloud/unknown"), 400);
      assertRefused(world.gateway().get("/callback/websub/unknown?hub.mode=%ff"), 400);
      before.holds();
    }
  }

  private static void assertRefused(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
    assertThat(answer.body()).isNotBlank();
  }
}
