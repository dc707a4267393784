package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.postgres.TestServer;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.GatewayProcess.Exit;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Rpc;
import io.feedbridge.gateway.testing.TcpProxy;
import io.feedbridge.rsscloud.RpcAnswer;
import io.feedbridge.rsscloud.RpcCall;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RpcValue;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar with its store in PostgreSQL. */
class PostgresIT {

  private static final Duration LONG = Duration.ofSeconds(60);

  /** More than there are commits from the ping of an entry to its last delivery. */
  private static final int FAULTS = 16;

  private final TestServer server = TestServer.durable();
  private final String store = "--store=" + server.empty();
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  @TempDir Path folder;

  @AfterEach
  void end() {
    subscriber.close();
    origin.close();
    server.close();
  }

  private GatewayProcess start(String data) {
    return start(data, store);
  }

  private GatewayProcess start(String data, String... more) {
    List<String> options = new ArrayList<>(List.of("--poll-min=12h", "--poll-max=24h"));
    options.addAll(List.of(more));
    return GatewayProcess.start(
        folder.resolve(data), FreePort.next(), options.toArray(String[]::new));
  }

  private static int ping(GatewayProcess gateway, String topic) {
    return gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode();
  }

  private static boolean saves(GatewayProcess gateway, String login, String password) {
    RpcCall call =
        RpcCall.of(
            "rssCloud.saveRss",
            new RpcValue.Text(login),
            new RpcValue.Text(password),
            new RpcValue.Text(FakeOrigin.rssOf("", "one")));
    RpcProtocol rpc = RpcProtocol.XML_RPC;
    HttpResponse<String> answer =
        new Http().post(gateway.url("/RPC2"), RpcProtocol.CONTENT_TYPE, rpc.writeCall(call)).join();
    return Rpc.answer(rpc, answer) instanceof RpcAnswer.Result;
  }

  @Test
  void users_are_made_with_passwords_and_tokens_and_removed_beside_a_running_gateway() {
    Exit early = GatewayProcess.command("user", "add", "bull", store);
    assertThat(early.code()).isEqualTo(1);
    assertThat(early.errors())
        .contains("there is no store in jdbc:postgresql://", "start the gateway on it once")
        .doesNotContain("\tat ");
    try (GatewayProcess gateway = start("data")) {
      Exit password = GatewayProcess.command("user", "add", "bull", store);
      assertThat(password.code()).as(password.errors()).isZero();
      assertThat(saves(gateway, "bull", password.errors().strip())).isTrue();
      assertThat(saves(gateway, "bull", "another")).isFalse();
      Exit again = GatewayProcess.command("user", "add", "bull", store);
      assertThat(again.code()).isEqualTo(1);
      assertThat(again.errors()).contains("there is a user bull");
      Exit token = GatewayProcess.command("user", "add", "ape", "--rights=save", store);
      assertThat(saves(gateway, "ape", token.errors().strip())).isTrue();

      String at = "--gateway=" + gateway.url("");
      assertThat(GatewayProcess.command("user", "list", at).errors()).contains("ape", "bull");
      assertThat(GatewayProcess.command("user", "remove", "bull", at).code()).isZero();
      assertThat(saves(gateway, "bull", password.errors().strip())).isFalse();
    }
  }

  private boolean has(String entry) {
    return has("s", entry);
  }

  private boolean has(String name, String entry) {
    return subscriber.bodies(name).stream().anyMatch(body -> body.contains(">" + entry + "<"));
  }

  @Test
  void acknowledged_pings_and_subscriptions_outlive_kills_and_ended_sessions() {
    String topic = origin.rss("feed.xml", "", "old");
    try (GatewayProcess gateway = start("data")) {
      gateway.form(
          "/hub", "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", subscriber.url("s"));
      await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 1);
      subscriber.answer("s", 500);
      origin.rss("feed.xml", "", "first", "old");
      assertThat(ping(gateway, topic)).isEqualTo(204);
      gateway.kill9();
    }
    subscriber.answer("s", 200);
    try (GatewayProcess gateway = start("data")) {
      await().atMost(LONG).until(() -> has("first"));

      server.endSessions();
      origin.rss("feed.xml", "", "second", "first", "old");
      await().atMost(LONG).until(() -> ping(gateway, topic) == 204);
      await().atMost(LONG).until(() -> has("second"));
      await().atMost(LONG).until(gateway::healthy);
      assertThat(gateway.terminate().code()).isZero();
    }
  }

  @Test
  void an_embedded_store_with_a_backlog_is_moved_and_nothing_is_lost() {
    String topic = origin.rss("feed.xml", "", "old");
    String data = "--data=" + folder.resolve("data");
    try (GatewayProcess gateway = start("data", "--hub-format=atom")) {
      gateway.form(
          "/hub",
          "hub.mode",
          "subscribe",
          "hub.topic",
          topic,
          "hub.callback",
          subscriber.url("s"),
          "hub.secret",
          "a secret of the subscriber");
      await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 1);
      subscriber.answer("s", 500);
      origin.rss("feed.xml", "", "first", "old");
      assertThat(ping(gateway, topic)).isEqualTo(204);
      await().atMost(LONG).until(() -> gateway.meter("feedbridge_laggards") == 1);

      Exit running = GatewayProcess.command("migrate", data, store);
      assertThat(running.code()).isEqualTo(1);
      assertThat(running.errors()).contains("in use by another gateway").doesNotContain("\tat ");
      gateway.kill9();
    }

    Exit moved = GatewayProcess.command("migrate", data, store);
    assertThat(moved.code()).as(moved.errors()).isZero();
    assertThat(moved.errors()).containsPattern("laggard +1\n").contains("is moved to jdbc:");
    Exit second = GatewayProcess.command("migrate", data, store);
    assertThat(second.code()).isEqualTo(1);
    assertThat(second.errors()).contains("was moved to jdbc:postgresql://");
    try (GatewayProcess old = GatewayProcess.launch(folder.resolve("data"), FreePort.next())) {
      Exit exit = old.exit();
      assertThat(exit.code()).isEqualTo(1);
      assertThat(exit.errors()).contains("was moved to jdbc:").doesNotContain("\tat ");
    }

    subscriber.answer("s", 200);
    try (GatewayProcess gateway = start("data")) {
      await().atMost(LONG).until(() -> has("first"));
      origin.rss("feed.xml", "", "second", "first", "old");
      assertThat(ping(gateway, topic)).isEqualTo(204);
      await().atMost(LONG).until(() -> has("second"));
    }
  }

  /** The commits on the way of an entry lose their answers in turn. Nothing is started again. */
  @Test
  void a_commit_whose_answer_is_lost_holds_up_no_delivery() {
    int port = URI.create(store.substring("--store=jdbc:".length())).getPort();
    String topic = origin.rss("feed.xml", "", "old");
    AtomicInteger answers = new AtomicInteger();
    // Each second delivery fails, so that rows of laggards are claimed and settled all the time.
    subscriber.answer(
        "fails",
        request ->
            CompletableFuture.completedFuture(
                Response.empty(answers.incrementAndGet() % 2 == 0 ? 200 : 503)
                    .withHeader("Retry-After", "1")));
    try (TcpProxy proxy = new TcpProxy(port);
        GatewayProcess gateway =
            start("data", store.replace(":" + port + "/", ":" + proxy.port() + "/"))) {
      for (String name : List.of("s", "fails")) {
        gateway.form(
            "/hub",
            "hub.mode",
            "subscribe",
            "hub.topic",
            topic,
            "hub.callback",
            subscriber.url(name));
      }
      await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 2);
      List<String> entries = new ArrayList<>(List.of("old"));
      for (int i = 0; i < FAULTS; i++) {
        String entry = "entry" + i;
        entries.add(0, entry);
        origin.rss("feed.xml", "", entries.toArray(String[]::new));
        proxy.loseReply(TcpProxy.COMMIT, i);
        await().atMost(LONG).until(() -> ping(gateway, topic) == 204);
        await().atMost(LONG).until(() -> has("s", entry) && has("fails", entry));
      }
      proxy.cut();
      await().atMost(LONG).until(() -> gateway.meter("feedbridge_laggards") == 0);
      await().atMost(LONG).until(gateway::healthy);
      assertThat(gateway.terminate().code()).isZero();
    }
  }
}
