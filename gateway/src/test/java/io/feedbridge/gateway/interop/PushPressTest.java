package io.feedbridge.gateway.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.NamedHosts;
import io.feedbridge.gateway.testing.RawHost;
import io.feedbridge.gateway.testing.StubServer;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stand-in of WordPress' plugin PushPress 0.1.9 over TLS: a hub of 0.3 for the blog's own feeds.
 * Without {@code hub.verify} a request is refused; a verification comes before the answer, which is
 * 204; a lease lasts ten years; pushes are signed with SHA-1; a subscriber that answers otherwise
 * than by 2xx is dropped.
 */
class PushPressTest {

  private static final String TEN_YEARS = "315360000";

  private static final String BLOG = "blog.example";

  @TempDir static Path folder;
  private static NamedHosts hosts;

  @TempDir Path data;
  private final FakeOrigin feeds = new FakeOrigin();
  private RawHost blog;
  private final StubServer hub = StubServer.serving(this::serve);
  private RawHost hubTls;

  /** Secrets by callback; an empty one for none. */
  private final Map<String, String> subscribers = new ConcurrentHashMap<>();

  private World world;
  private String own = "";

  @BeforeAll
  static void nameHosts() {
    hosts = new NamedHosts(folder, "gateway.example", BLOG);
  }

  @AfterAll
  static void forgetHosts() {
    hosts.close();
  }

  @BeforeEach
  void start() {
    blog = hosts.before(feeds);
    hubTls = hosts.before(hub);
    URI publicUrl = URI.create("https://gateway.example");
    world = World.around(TestGateway.named(data, publicUrl, hosts));
    own = publish("feed");
  }

  @AfterEach
  void stop() {
    world.close();
    hubTls.close();
    hub.close();
    blog.close();
    feeds.close();
  }

  private String link() {
    return "<atom:link rel='hub' href='%s'/>".formatted(hubTls.at(BLOG, "/?pushpress=hub"));
  }

  private String publish(String path) {
    feeds.rss(path, link(), "one");
    return blog.at(BLOG, "/" + path);
  }

  private CompletionStage<Response> serve(Request request) {
    Map<String, List<String>> form = request.form();
    if (!form.containsKey("hub.verify")) {
      return answer(400, "hub.verify is empty");
    }
    if (!Http.first(form, "hub.topic").equals(own)) {
      return answer(400, "You may only subscribe to " + own);
    }
    String callback = Http.first(form, "hub.callback");
    String question =
        Http.encode(
            "hub.mode",
            Http.first(form, "hub.mode"),
            "hub.topic",
            own,
            "hub.challenge",
            "ab12",
            "hub.lease_seconds",
            TEN_YEARS,
            "hub.verify_token",
            Http.first(form, "hub.verify_token"));
    return CompletableFuture.supplyAsync(() -> hosts.http().get(callback + "?" + question))
        .thenCompose(
            reply -> {
              if (reply.statusCode() != 200 || !reply.body().equals("ab12")) {
                return answer(400, "Subscription confirmation failed");
              }
              if (Http.first(form, "hub.mode").equals("subscribe")) {
                subscribers.put(callback, form.getOrDefault("hub.secret", List.of("")).get(0));
              } else {
                subscribers.remove(callback);
              }
              return CompletableFuture.completedFuture(Response.noContent());
            });
  }

  private static CompletableFuture<Response> answer(int status, String text) {
    return CompletableFuture.completedFuture(Response.text(status, text));
  }

  private void push(String document) {
    byte[] body = document.getBytes(StandardCharsets.UTF_8);
    subscribers.forEach(
        (callback, secret) -> {
          HttpResponse<String> reply =
              hosts
                  .http()
                  .post(
                      callback,
                      "application/rss+xml",
                      body,
                      "X-Hub-Signature",
                      Signature.sign(SignatureMethod.SHA1, secret, body))
                  .join();
          if (reply.statusCode() / 100 != 2) {
            subscribers.remove(callback);
          }
        });
    world.gateway().settle();
  }

  private JsonNode feed(String topic) throws Exception {
    String found = world.gateway().get("/api/v1/feeds?" + Http.encode("url", topic)).body();
    return new ObjectMapper().readTree(found).at("/items/0");
  }

  @Test
  void its_signed_pushes_are_delivered_and_it_never_drops_the_gateway() throws Exception {
    world.subscribe(own, "s", "format", "json");
    World.until(() -> feed(own).at("/upstream/state").asText().equals("active"));
    World.until(() -> subscribers.size() == 1);
    assertThat(feed(own).at("/upstream/signed").asBoolean()).isTrue();

    push(FakeOrigin.rssOf(link(), "two", "one"));
    push("<rss version='2.0'><channel>");
    push("no feed at all");
    push(FakeOrigin.rssOf(link(), "three", "two", "one"));

    assertThat(subscribers).hasSize(1);
    World.until(() -> world.subscriber().bodies("s").size() == 2);
    assertThat(world.subscriber().bodies("s").get(0)).contains("two").doesNotContain("three");
    assertThat(world.subscriber().bodies("s").get(1)).contains("three");
  }

  @Test
  void the_refusal_of_another_feed_of_the_blog_is_told_in_its_words() throws Exception {
    String comments = publish("comments");
    world.subscribe(comments, "s");

    World.until(() -> !feed(comments).at("/refusals/0").isMissingNode());
    assertThat(feed(comments).at("/refusals/0/reason").asText())
        .contains("You may only subscribe to " + own);
  }
}
