package io.feedbridge.gateway.web.hub;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Untouched;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad input at the hub is 4xx with the reason as text/plain and changes nothing (rule H3). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HubBadRequestsTest {

  private static final String TOPIC = "http://news.example/feed.xml";
  private static final String CALLBACK = "http://reader.example/callback";

  private World world;
  private String topic;
  private Untouched before;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
    topic = world.origin().rss("feed.xml", "", "one");
    world.subscribe(topic, "one", "hub.secret", "kept");
    before = Untouched.of(world);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  static Stream<Arguments> badForms() {
    List<Arguments> forms = new ArrayList<>();
    for (String mode : List.of("subscribe", "unsubscribe")) {
      forms.add(form("hub.topic is missing", mode, "hub.callback", CALLBACK));
      forms.add(form("hub.callback is missing", mode, "hub.topic", TOPIC));
      forms.add(form("hub.topic is missing", mode, "hub.callback", CALLBACK, "hub.topic", ""));
      forms.add(form("hub.callback is missing", mode, "hub.callback", "", "hub.topic", TOPIC));
      for (String[] bad : BAD_URLS) {
        forms.add(form("hub.topic " + bad[1], mode, "hub.callback", CALLBACK, "hub.topic", bad[0]));
        forms.add(form("hub.callback " + bad[1], mode, "hub.callback", bad[0], "hub.topic", TOPIC));
      }
      String part = "#part";
      forms.add(
          form(
              "hub.callback must not have a fragment",
              mode,
              "hub.callback",
              CALLBACK + part,
              "hub.topic",
              TOPIC));
      forms.add(twice(mode, "hub.topic", TOPIC, "http://news.example/other.xml"));
      forms.add(twice(mode, "hub.callback", CALLBACK, "http://reader.example/other"));
      forms.add(twice(mode, "hub.verify_token", "a", "b"));
    }
    forms.add(
        form(
            "is no CSS selector",
            "subscribe",
            "hub.callback",
            CALLBACK,
            "hub.topic",
            TOPIC + "#p%5B"));
    forms.add(twice("subscribe", "hub.secret", "a", "b"));
    forms.add(twice("subscribe", "hub.lease_seconds", "60", "600"));
    forms.add(twice("subscribe", "format", "json", "atom"));
    forms.add(twice("subscribe", "hub.signature_method", "sha1", "sha256"));
    forms.add(subscribe("hub.secret must be shorter than 200", "hub.secret", "x".repeat(200)));
    forms.add(subscribe("hub.secret must be shorter than 200", "hub.secret", "é".repeat(100)));
    forms.add(subscribe("NUL", "hub.secret", "a\0b"));
    forms.add(subscribe("hub.verify_token is longer", "hub.verify_token", "x".repeat(1025)));
    forms.add(subscribe("format \"rss\" is not known", "format", "rss"));
    forms.add(subscribe("\"md5\" is not known", "hub.signature_method", "md5"));
    forms.add(subscribe("hub.lease_seconds", "hub.lease_seconds", "soon"));
    forms.add(subscribe("hub.lease_seconds", "hub.lease_seconds", "-5"));
    forms.add(Arguments.of("hub.mode is missing", list("hub.topic", TOPIC)));
    forms.add(Arguments.of("hub.mode is missing", List.of()));
    forms.add(form("hub.mode is missing", "", "hub.callback", CALLBACK, "hub.topic", TOPIC));
    forms.add(form("hub.mode \"Subscribe\" is not known", "Subscribe"));
    forms.add(form("hub.mode \"delete\" is not known", "delete"));
    forms.add(form("hub.mode \"a b\" is not known", "a\nb"));
    forms.add(twice("publish", "hub.mode", "subscribe", "publish"));
    forms.add(form("hub.url has a fragment that", "publish", "hub.url", TOPIC + "#%FF"));
    forms.add(form("hub.url is missing", "publish"));
    forms.add(form("hub.url is missing", "publish", "hub.url", ""));
    for (String[] bad : BAD_URLS) {
      forms.add(form("hub.url " + bad[1], "publish", "hub.url", bad[0]));
      forms.add(form("hub.topic " + bad[1], "publish", "hub.url", TOPIC, "hub.topic", bad[0]));
    }
    return forms.stream();
  }

  private static final String[][] BAD_URLS = {
    {"feed.xml", "must be an absolute http or https URL"},
    {"//news.example/feed.xml", "must be an absolute http or https URL"},
    {"ftp://news.example/feed.xml", "must be an absolute http or https URL"},
    {"javascript:alert(1)", "must be an absolute http or https URL"},
    {"http:/news.example/feed.xml", "must be an absolute http or https URL"},
    {"http:///feed.xml", "has no valid host name"},
    {"http://news .example/", "contains a space"},
    {"http://news.example/a\r\nX-Evil: 1", "contains a space or a control character"},
    {"http://news.example/\0", "contains a space or a control character"},
    {"http://user:secret@news.example/feed.xml", "must not contain a user name"},
    {"http://news.example:0/", "has a port"},
    {"http://news.example:65536/", "has a port"},
    {"http://news.example:http/", "has a port"},
    {"http://news.example/%zz", "contains a %"},
    {"http://news.example/<feed>", "contains <"},
    {"http://news.example/" + "a".repeat(2100), "is longer than 2048"},
  };

  @ParameterizedTest(name = "{index}: {0}")
  @MethodSource("badForms")
  void H3_bad_input_is_a_4xx_with_the_reason_and_changes_nothing(String reason, List<String> form) {
    HttpResponse<String> answer = world.gateway().form("/hub", form.toArray(String[]::new));

    assertRefused(answer, reason);
    before.holds();
  }

  @Test
  void H3_bytes_that_are_not_utf8_are_refused() {
    String form =
        "hub.mode=subscribe&"
            + Http.encode("hub.callback", CALLBACK)
            + "&hub.topic=http://news.example/";

    for (String end : List.of("%ff", "%c3%28", "\u00ff", "%e2%82", "%u0041", "%2", "%")) {
      assertRefused(
          world
              .gateway()
              .post("/hub", "application/x-www-form-urlencoded", (form + end).getBytes(ISO_8859_1)),
          "bad percent-encoding");
    }
    before.holds();
  }

  @Test
  void H1_parameters_in_the_query_are_none() {
    String query =
        Http.encode("hub.mode", "subscribe", "hub.callback", CALLBACK, "hub.topic", TOPIC);

    assertRefused(world.gateway().form("/hub?" + query), "hub.mode is missing");
    assertRefused(
        world
            .gateway()
            .form(
                "/hub?" + Http.encode("hub.callback", CALLBACK),
                "hub.mode",
                "subscribe",
                "hub.topic",
                TOPIC),
        "hub.callback is missing");
    before.holds();
  }

  @Test
  void H3_more_parameters_than_anyone_needs_are_refused() {
    String form = "hub.mode=publish" + "&a=b".repeat(1_100);

    assertRefused(
        world
            .gateway()
            .post("/hub", "application/x-www-form-urlencoded", form.getBytes(ISO_8859_1)),
        "more than 1024 parameters");
    before.holds();
  }

  @Test
  void H3_a_reason_repeats_no_secret() {
    HttpResponse<String> answer =
        world.gateway().subscribe(topic, CALLBACK, "hub.secret", "s3cr3t".repeat(40));

    assertRefused(answer, "hub.secret");
    assertThat(answer.body()).doesNotContain("s3cr3t");
  }

  private static void assertRefused(HttpResponse<String> answer, String reason) {
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
    assertThat(answer.body()).contains(reason);
    assertThat(answer.body().strip()).doesNotContain("\n", "\r");
  }

  private static Arguments form(String reason, String mode, String... more) {
    List<String> form = new ArrayList<>(List.of("hub.mode", mode));
    form.addAll(List.of(more));
    return Arguments.of(reason, form);
  }

  private static Arguments subscribe(String reason, String name, String value) {
    return form(reason, "subscribe", "hub.callback", CALLBACK, "hub.topic", TOPIC, name, value);
  }

  private static Arguments twice(String mode, String name, String one, String other) {
    List<String> form = list("hub.mode", mode, "hub.callback", CALLBACK, "hub.topic", TOPIC);
    int there = form.indexOf(name);
    if (there >= 0) {
      form.subList(there, there + 2).clear();
    }
    form.addAll(List.of(name, one, name, other));
    return Arguments.of(name + " is given twice", form);
  }

  private static List<String> list(String... values) {
    return new ArrayList<>(List.of(values));
  }
}
