package io.feedbridge.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.FakeCloud;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.RawHost;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** rssCloud in both roles with the jar, where only a whole process shows that it works. */
class RssCloudIT {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String[] RARE_POLLS = {"--poll-min=12h", "--poll-max=24h"};
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path folder;

  @Test
  void the_name_that_an_upstream_cloud_took_outlives_a_kill() {
    int port = FreePort.next();
    try (FakeOrigin origin = new FakeOrigin();
        FakeCloud cloud = new FakeCloud();
        FakeSubscriber subscriber = new FakeSubscriber()) {
      String canonical = origin.rss("feed-.xml", cloud.element(), "one");
      String feed = origin.redirect("feed.xml", 301, canonical);
      cloud.knowOnly(canonical);
      try (GatewayProcess gateway = GatewayProcess.start(folder, port, RARE_POLLS)) {
        subscribe(gateway, subscriber, feed);
        await()
            .atMost(LONG)
            .until(() -> gateway.get("/log?format=json").body().contains("registered until"));
        gateway.kill9();
      }
      try (GatewayProcess gateway = GatewayProcess.start(folder, port, RARE_POLLS)) {
        origin.rss("feed-.xml", cloud.element(), "two", "one");

        assertThat(cloud.notify(canonical).statusCode()).isEqualTo(200);

        await().atMost(LONG).until(() -> !subscriber.received("reader").isEmpty());
        assertThat(subscriber.bodies("reader").get(0)).contains("two");
        assertThat(gateway.get("/log?format=json&kind=push").body()).contains("cloud: notified");
      }
    }
  }

  private static void subscribe(GatewayProcess gateway, FakeSubscriber subscriber, String feed) {
    assertThat(
            gateway
                .form(
                    "/hub",
                    "hub.mode",
                    "subscribe",
                    "hub.topic",
                    feed,
                    "hub.callback",
                    subscriber.url("reader"))
                .statusCode())
        .isEqualTo(202);
    await().atMost(LONG).until(() -> gateway.meter("feedbridge_subscriptions_websub") == 1);
  }

  @Test
  void a_handler_that_moved_to_https_is_tested_and_notified_there() throws Exception {
    Certificate certificate =
        Certificate.of(Files.createDirectory(folder.resolve("keys")), "ip:127.0.0.1");
    Path trust = trustStore(certificate);
    List<String> notified = new CopyOnWriteArrayList<>();
    int port = FreePort.next();
    try (RawHost secure = RawHost.secure(certificate.server(), talk -> handle(talk, notified));
        FakeOrigin origin = new FakeOrigin();
        FakeSubscriber old = new FakeSubscriber();
        GatewayProcess gateway =
            new GatewayProcess.Command(folder.resolve("data"), port)
                .property("javax.net.ssl.trustStore", trust.toString())
                .property("javax.net.ssl.trustStorePassword", new String(PASSWORD))
                .with(RARE_POLLS)
                .launch()) {
      gateway.awaitReady();
      String feed = origin.rss("feed.xml", "", "one");
      Response moved = Response.empty(301).withHeader("Location", secure.url("/handler"));
      old.onQuestion("old", request -> CompletableFuture.completedFuture(moved));
      old.answer("old", request -> CompletableFuture.completedFuture(moved));

      String answer =
          gateway
              .form(
                  "/pleaseNotify",
                  "notifyProcedure",
                  "",
                  "domain",
                  "127.0.0.1",
                  "port",
                  Integer.toString(old.port()),
                  "path",
                  "/old",
                  "protocol",
                  "http-post",
                  "url1",
                  feed)
              .body();

      assertThat(answer).contains("success=\"true\"");
      origin.rss("feed.xml", "", "two", "one");
      gateway.form("/ping", "url", feed);
      await().atMost(LONG).until(() -> !notified.isEmpty());
      assertThat(notified).containsExactly(Http.encode("url", feed));
    }
  }

  private Path trustStore(Certificate certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("handler", certificate.certificate());
    Path file = folder.resolve("trust.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      trusted.store(out, PASSWORD);
    }
    return file;
  }

  /** Gives challenges back, and keeps what it is notified of. */
  private static void handle(RawHost.Talk talk, List<String> notified) throws IOException {
    RawHost.Received request = talk.read();
    if (request == null) {
      return;
    }
    String query = request.target().replaceFirst("[^?]*", "");
    if (request.line().startsWith("POST ")) {
      notified.add(request.body());
    }
    talk.send(RawHost.last("text/plain", query.replaceFirst(".*challenge=", "")));
  }
}
