package io.feedbridge.gateway.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.feedbridge.gateway.testing.FakeEndpoint;
import io.feedbridge.gateway.testing.FakeHub;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.gateway.testing.Http;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The README names each class that a ping passes, and no other: a debugger follows the calls in the
 * jar from the server's handler on.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WayIT {

  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String TOKEN = "operators-token-of-the-way";
  private static final String RSS = "application/rss+xml";
  private static final Pattern NAME = Pattern.compile("`([\\w.]+)`");

  /** Rooms with one door, which a reader need not enter; the README names them. */
  private static final List<String> CLOSED =
      List.of(
          "activity",
          "admission",
          "assembly",
          "attempts",
          "bridge",
          "client",
          "config",
          "delivery.hosts",
          "failpoint",
          "guard",
          "ingest.hosts",
          "ingest.throttle",
          "metrics",
          "runtime",
          "schedule",
          "server",
          "store.sql.commit",
          "store.sql.database",
          "store.sqlite",
          "vault",
          "web.common");

  /** Likewise. Their tasks are seen, so that what they call does not seem to come from nowhere. */
  private static final List<String> CLOSED_BUT_SEEN =
      List.of(
          "delivery.laggards",
          "publish",
          "relay",
          "store.sql.deliveries.DueHosts",
          "store.sql.deliveries.SqlLaggards",
          "track");

  private final JavaClasses classes =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.feedbridge.gateway");

  private final int debugger = FreePort.next();
  private final Http http = new Http().showing(TOKEN);
  private final FakeOrigin origin = new FakeOrigin();
  private final FakeHub hub = new FakeHub();
  private final FakeSubscriber subscriber = new FakeSubscriber();
  private GatewayProcess gateway;

  @BeforeAll
  void start(@TempDir Path folder) {
    gateway =
        GatewayProcess.launchWith(
            List.of(
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:"
                    + debugger),
            folder.resolve("data"),
            FreePort.next(),
            "--admin-token=" + TOKEN,
            "--host-pause=0",
            "--ping-quiet=0",
            "--poll-min=12h",
            "--poll-max=24h");
    gateway.awaitReady();
  }

  @AfterAll
  void stop() {
    gateway.close();
    subscriber.close();
    hub.close();
    origin.close();
  }

  @Test
  void a_light_ping_passes_at_most_15_classes_to_its_event() throws Exception {
    String topic = origin.serve("light.xml", RSS, FakeOrigin.rssOf("", "one"));
    subscribe(topic, "light");
    List<CallTrace.Call> calls =
        trace(
            () -> {
              origin.serve("light.xml", RSS, FakeOrigin.rssOf("", "two", "one"));
              return gateway.form("/hub", "hub.mode", "publish", "hub.url", topic);
            },
            () -> subscriber.received("light").size() == 1,
            "delivery.Fanout");

    hold(
        "From a light ping to its event",
        15,
        way(
            upTo("delivery", calls),
            "web.hub",
            "intake.Intake",
            "work",
            "ingest",
            "store.sql.feeds"));
  }

  @Test
  void a_signed_delivery_passes_at_most_30_classes_to_the_next_and_3_steps_back() throws Exception {
    String link = "<%s>; rel=\"hub\"".formatted(hub.url());
    String topic = origin.serve("pushed.xml", RSS, FakeOrigin.rssOf("", "one"), link);
    subscribe(topic, "pushed");
    await().atMost(LONG).until(() -> hub.subscribers(topic) == 1);
    List<CallTrace.Call> calls =
        trace(
            () -> hub.deliver(topic, RSS, FakeOrigin.rssOf("", "two", "one")),
            () -> subscriber.received("pushed").size() == 1,
            "delivery.send.Sender");

    Way way =
        way(
            calls,
            "web.cloud",
            "web.ProtocolPaths",
            "intake.Intake",
            "work",
            "ingest",
            "store.sql.feeds",
            "delivery.Fanout",
            "delivery.rounds",
            "delivery.send",
            "store.sql.deliveries");
    List<String> named =
        hold("From a signed delivery of a hub to the delivery to a subscriber", 30, way);
    List<String> back = new ArrayList<>();
    for (int i = 0; i < named.size(); i++) {
      for (int j = 0; j < i; j++) {
        boolean asksStore = named.get(j).startsWith("store.");
        if (!asksStore && way.calls(named.get(i), named.get(j))) {
          back.add(named.get(i) + " calls " + named.get(j));
        }
      }
    }
    assertThat(back).hasSizeLessThanOrEqualTo(3);
  }

  @Test
  void a_registration_passes_at_most_15_classes() throws Exception {
    String topic = origin.serve("registered.xml", RSS, FakeOrigin.rssOf("", "one"));
    List<CallTrace.Call> calls =
        trace(
            () ->
                gateway.form(
                    "/pleaseNotify",
                    "notifyProcedure",
                    "",
                    "domain",
                    "127.0.0.1",
                    "port",
                    Integer.toString(subscriber.port()),
                    "path",
                    "/registered",
                    "protocol",
                    "http-post",
                    "url1",
                    topic),
            () -> !subscriber.asked("registered").isEmpty(),
            "store.sql.subscriptions.Transitions");

    hold(
        "From a registration at the cloud to the subscription",
        15,
        way(
            calls,
            "web.cloud",
            "web.ProtocolPaths",
            "subscribers.CloudRegistrar",
            "subscribers.HandlerTests",
            "store.sql"));
  }

  @Test
  void a_message_of_a_webhook_passes_at_most_12_classes_from_the_log() throws Exception {
    FakeEndpoint endpoint = new FakeEndpoint(subscriber, "endpoint");
    endpoint.confirm();
    String topic = origin.serve("hooked.xml", RSS, FakeOrigin.rssOf("", "one"));
    String terms = "{\"url\":\"%s\",\"topics\":[\"%s\"]}".formatted(endpoint.url(), topic);
    assertThat(http.json("POST", gateway.url("/api/v1/webhooks"), terms).statusCode())
        .isEqualTo(201);
    await()
        .atMost(LONG)
        .until(() -> http.get(gateway.url("/api/v1/webhooks")).body().contains("\"active\""));
    List<CallTrace.Call> calls =
        trace(
            () -> {
              origin.serve("hooked.xml", RSS, FakeOrigin.rssOf("", "two", "one"));
              return gateway.form("/hub", "hub.mode", "publish", "hub.url", topic);
            },
            () -> !endpoint.messages().isEmpty(),
            "store.sql.deliveries.Consumers");

    hold(
        "From the log to a webhook",
        12,
        way(calls, "log", "delivery.webhooks", "delivery.send", "store.sql.deliveries.Consumers"));
  }

  private void subscribe(String topic, String path) {
    gateway.form(
        "/hub", "hub.mode", "subscribe", "hub.topic", topic, "hub.callback", subscriber.url(path));
    await()
        .atMost(LONG)
        .until(
            () ->
                http.get(gateway.url("/api/v1/feeds?url=" + topic)).body().contains("\"active\""));
  }

  /**
   * The calls from an action until its effect is there, a certain class was called last, and no
   * further one is.
   */
  private List<CallTrace.Call> trace(Callable<?> action, Callable<Boolean> effect, String last)
      throws Exception {
    try (CallTrace trace = new CallTrace(debugger, CLOSED)) {
      action.call();
      await().atMost(LONG).until(effect);
      await().atMost(LONG).until(() -> called(trace).contains(last));
      Set<String> before = new HashSet<>();
      await()
          .atMost(LONG)
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> !before.addAll(called(trace)));
      return trace.calls();
    }
  }

  private static Set<String> called(CallTrace trace) {
    return trace.calls().stream().map(CallTrace.Call::to).collect(Collectors.toSet());
  }

  private static List<CallTrace.Call> upTo(String room, List<CallTrace.Call> calls) {
    return calls.stream().takeWhile(call -> !Way.isIn(call.to(), List.of(room))).toList();
  }

  private Way way(List<CallTrace.Call> calls, String... carriers) {
    return new Way(classes, calls, List.of(carriers), CLOSED_BUT_SEEN);
  }

  /** Compares the README's table after a sentence with the classes on the way; gives its rows. */
  private List<String> hold(String sentence, int most, Way way) throws IOException {
    String text = Files.readString(Path.of("README.md"));
    int begin = text.indexOf(sentence);
    assertThat(begin).as(sentence).isNotNegative();
    String table = text.substring(begin, text.indexOf("\n\n", text.indexOf("|---", begin)));
    List<String> named = new ArrayList<>();
    Set<String> helpers = new TreeSet<>();
    table
        .lines()
        .map(line -> line.split("\\|"))
        .filter(cells -> cells.length > 3)
        .forEach(
            cells -> {
              names(cells[2]).forEach(named::add);
              names(cells[3]).forEach(helpers::add);
            });

    assertThat(named).containsExactlyInAnyOrderElementsOf(way.classes());
    assertThat(named).hasSizeLessThanOrEqualTo(most);
    assertThat(table).startsWith("%s, %d classes:".formatted(sentence, named.size()));
    assertThat(helpers)
        .containsAll(way.helpers().keySet().stream().map(WayIT::simple).toList())
        .allMatch(
            helper ->
                classes.stream()
                    .anyMatch(
                        type ->
                            type.getSimpleName().equals(helper)
                                && !type.getModifiers().contains(JavaModifier.PUBLIC)));
    return named;
  }

  private static Stream<String> names(String cell) {
    return NAME.matcher(cell).results().map(name -> name.group(1));
  }

  private static String simple(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  @Test
  void the_readme_names_the_rooms_that_stay_closed() throws IOException {
    String text = Files.readString(Path.of("README.md"));
    int begin = text.indexOf("Rooms with one door stay closed");
    assertThat(names(text.substring(begin, text.indexOf("\n\n", begin))))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(CLOSED.stream(), CLOSED_BUT_SEEN.stream()).toList());
  }
}
