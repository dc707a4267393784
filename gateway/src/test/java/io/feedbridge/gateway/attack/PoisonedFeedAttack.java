package io.feedbridge.gateway.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.failpoint.Fault;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Signed;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Feeds that once broke the stage that reads them, beside one that behaves, on the real jar. */
class PoisonedFeedAttack {

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final String SECRET = "the publisher's own";

  private final FakeOrigin origin = new FakeOrigin();
  private final FakeSubscriber subscriber = new FakeSubscriber();

  @TempDir Path data;

  @AfterEach
  void stop() {
    subscriber.close();
    origin.close();
  }

  private GatewayProcess start(String faults) {
    GatewayProcess gateway =
        new GatewayProcess.Command(data, FreePort.next())
            .property(Fault.PROPERTY, faults)
            .with("--host-pause=0s", "--poll-min=1h")
            .launch();
    gateway.awaitReady();
    return gateway;
  }

  private void subscribe(GatewayProcess gateway, String topic, String path) {
    assertThat(
            gateway
                .form(
                    "/hub",
                    "hub.mode",
                    "subscribe",
                    "hub.topic",
                    topic,
                    "hub.callback",
                    subscriber.url(path),
                    "hub.secret",
                    "a secret")
                .statusCode())
        .isEqualTo(202);
    await().atMost(PATIENCE).until(() -> !subscriber.asked(path).isEmpty());
    assertThat(subscriber.asked(path).get(0).query().get("hub.mode")).containsExactly("subscribe");
  }

  private void publish(GatewayProcess gateway, String topic) {
    assertThat(gateway.form("/hub", "hub.mode", "publish", "hub.url", topic).statusCode())
        .isEqualTo(204);
  }

  private void awaitEntry(String path, String entry) {
    await()
        .alias(entry + " at " + path)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> subscriber.bodies(path).stream().anyMatch(body -> body.contains(entry)));
  }

  @Test
  void a_feed_at_a_URL_that_is_no_URI_is_delivered_before_and_after_a_restart() {
    String page =
        origin.serve(
            "page",
            "text/html",
            "<link rel='alternate' type='application/rss+xml' href='/feed.xml'>");
    origin.redirect("feed.xml", 301, origin.url("we|ird {1}.xml"));
    origin.rss("we|ird {1}.xml", "", "one");
    try (GatewayProcess gateway = start("")) {
      subscribe(gateway, page, "odd");
      publishSigned(gateway, page, FakeOrigin.rssOf("", "two", "one"));
      awaitEntry("odd", "two");
      origin.rss("we|ird {1}.xml", "", "three", "two", "one");
      publish(gateway, page);
      awaitEntry("odd", "three");
    }
    try (GatewayProcess gateway = start("")) {
      origin.rss("we|ird {1}.xml", "", "four", "three", "two", "one");
      publish(gateway, page);
      awaitEntry("odd", "four");
    }
  }

  /** Publishes content as the topic's publisher, so that nothing is fetched for it. */
  private static void publishSigned(GatewayProcess gateway, String topic, String content) {
    String publisher = "{\"topic\":\"%s\",\"secret\":\"%s\"}".formatted(topic, SECRET);
    HttpResponse<String> made =
        new Http()
            .post(
                gateway.url("/api/v1/publishers"),
                "application/json",
                publisher.getBytes(StandardCharsets.UTF_8))
            .join();
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    HttpResponse<String> answer =
        gateway.form(
            "/hub",
            "hub.mode",
            "publish",
            "hub.topic",
            topic,
            "hub.content",
            content,
            "hub.signature",
            Signed.by("sha256", SECRET, content.getBytes(StandardCharsets.UTF_8)));
    assertThat(answer.statusCode()).isEqualTo(204);
  }

  @Test
  void a_feed_that_is_updated_more_often_than_each_second_is_delivered() {
    String hints =
        "<sy:updatePeriod xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>hourly"
            + "</sy:updatePeriod><sy:updateFrequency"
            + " xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>7200</sy:updateFrequency>"
            + "<sy:updateBase xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>"
            + "2026-01-01T00:00:00Z</sy:updateBase>";
    String topic = origin.rss("often.xml", hints, "one");
    try (GatewayProcess gateway = start("")) {
      subscribe(gateway, topic, "often");
      origin.rss("often.xml", hints, "two", "one");
      publish(gateway, topic);
      awaitEntry("often", "two");
    }
  }

  /** The slowest delivery of a well-behaved feed while these feeds are published. */
  private Duration slowestBeside(GatewayProcess gateway, Bystander bystander, List<String> names) {
    for (String name : names) {
      origin.rss(name + ".xml", "", "two", "one");
      publish(gateway, origin.url(name + ".xml"));
    }
    return bystander.slowest();
  }

  /** Each fault in each form at a feed of its own, all at once, in one process. */
  @Test
  void a_defect_that_one_feed_meets_leaves_the_others_untouched_and_that_feed_alive() {
    List<String> names = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    for (Fault fault : Fault.values()) {
      for (String form : List.of("exception", "error")) {
        String step = fault.name().toLowerCase(Locale.ROOT);
        names.add(step + "-" + form);
        faults.add("%s:%s:3@/%s-%s.xml".formatted(step, form, step, form));
      }
    }
    for (String name : names) {
      origin.rss(name + ".xml", "", "one");
    }
    List<String> sound = names.stream().map(name -> "sound-of-" + name.replace('-', '.')).toList();
    for (String name : sound) {
      origin.rss(name + ".xml", "", "one");
    }
    try (GatewayProcess gateway = start("")) {
      for (String name : names) {
        subscribe(gateway, origin.url(name + ".xml"), name);
      }
      for (String name : sound) {
        subscribe(gateway, origin.url(name + ".xml"), name);
      }
    }
    try (GatewayProcess gateway = start(String.join(",", faults))) {
      try (Bystander bystander = new Bystander(gateway)) {
        // The same load of as many feeds that have no defect.
        Duration without = slowestBeside(gateway, bystander, sound);
        Duration beside = slowestBeside(gateway, bystander, names);
        System.out.printf("[poisoned] without %s, beside %s%n", without, beside);
        Bystander.assertHardlySlower(beside, without);
      }
      names.stream()
          .filter(name -> name.startsWith("digest") || name.startsWith("record"))
          .forEach(name -> awaitEntry(name, "two"));
      for (String name : names) {
        origin.rss(name + ".xml", "", "three", "two", "one");
        publish(gateway, origin.url(name + ".xml"));
      }
      names.forEach(name -> awaitEntry(name, "three"));
      assertThat(gateway.meter("feedbridge_work_given_up_total{via=\"publish\"}")).isEqualTo(4);
      assertThat(gateway.meter("feedbridge_gaps_total{reason=\"unmakeable\"}")).isEqualTo(4);
      assertThat(gateway.errors()).contains("the fault DIGEST of").contains("the fault SIGN of");
    }
  }
}
