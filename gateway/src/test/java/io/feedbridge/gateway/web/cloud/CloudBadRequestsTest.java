package io.feedbridge.gateway.web.cloud;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Results;
import io.feedbridge.gateway.testing.Untouched;
import io.feedbridge.gateway.testing.World;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bad input at the cloud is a result that says no and why, in the form that the caller prefers, and
 * changes nothing.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CloudBadRequestsTest {

  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String JSON = "application/json";

  private World world;
  private Untouched before;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
    world.register(world.origin().rss("feed.xml", "", "one"), "one");
    before = Untouched.of(world);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  static Stream<Arguments> badRegistrations() {
    List<Arguments> bad = new ArrayList<>();
    bad.add(without("protocol", "protocol is missing"));
    bad.add(without("port", "port is missing"));
    bad.add(without("path", "path is missing"));
    bad.add(without("url1", "no feed is named"));
    bad.add(with("url1", "", "no feed is named"));
    bad.add(Arguments.of("protocol is missing", ""));
    for (String port : List.of("", "0", "65536", "-1", "http", "80 ", "0x50", "8".repeat(400))) {
      bad.add(with("port", port, "port '" + port.substring(0, Math.min(80, port.length()))));
    }
    for (String protocol : List.of("HTTP-POST", "Http-Post", "http", "", "gopher", "http-post ")) {
      bad.add(with("protocol", protocol, "protocol '" + protocol + "' is not known"));
    }
    for (String path : List.of("/a b", "/a\r\nX: 1", "/é", "/a\0")) {
      bad.add(with("path", path, "path has white space"));
    }
    bad.add(with("path", "/a#b", "path must not have a fragment"));
    bad.add(with("path", "/%zz", "is not a URL"));
    bad.add(with("path", "/" + "a".repeat(3_000), "is longer than"));
    for (String domain :
        List.of("reader.example:80", "http://reader.example", "a/b", "a b", "u@a")) {
      bad.add(with("domain", domain, "is not a host name or IP address alone"));
    }
    bad.add(with("notifyProcedure", "x".repeat(256), "notifyProcedure"));
    bad.add(with("notifyProcedure", "a\nb", "notifyProcedure"));
    bad.add(with("url1", "feed.xml", "is not an absolute http or https URL"));
    bad.add(with("url1", "ftp://news.example/", "is not an absolute http or https URL"));
    bad.add(with("url1", "http://u:p@news.example/", "must not carry a user name"));
    bad.add(with("url1", "http://news.example/a b", "is not a URL"));
    bad.add(with("url1", "http://news.example/\r\nX: 1", "is not a URL"));
    bad.add(with("url1", "http://news.example/" + "a".repeat(3_000), "is longer than"));
    bad.add(with("url1", "http://news.example:99999/", "port outside"));
    bad.add(with("url1", "http://news.example/page#p%5B", "is no CSS selector"));
    for (String name : List.of("port", "path", "protocol", "domain", "notifyProcedure")) {
      bad.add(
          Arguments.of(
              name + " is given more than once",
              encoded(good()) + "&" + Http.encode(name, "another")));
    }
    StringBuilder many = new StringBuilder(encoded(good()));
    for (int i = 2; i <= 102; i++) {
      many.append("&url").append(i).append("=http://news.example/").append(i);
    }
    bad.add(Arguments.of("feeds are named, at most", many.toString()));
    return bad.stream();
  }

  @ParameterizedTest(name = "{index}: {0}")
  @MethodSource("badRegistrations")
  void a_bad_registration_is_refused_with_the_reason_and_changes_nothing(
      String reason, String form) {
    assertRefused("/pleaseNotify", "notifyResult", reason, form.getBytes(UTF_8));
    before.holds();
  }

  @ParameterizedTest
  @ValueSource(strings = {"url1=%ff", "url1=%", "url1=%zz", "url1=\u00ff", "a=b&%c3%28=c"})
  void a_form_that_is_not_utf8_is_refused_in_the_same_way(String form) {
    byte[] body = form.getBytes(ISO_8859_1);
    assertRefused("/pleaseNotify", "notifyResult", "bad percent-encoding", body);
    assertRefused("/rsscloud/pleaseNotify", "notifyResult", "bad percent-encoding", body);
    assertRefused("/ping", "result", "bad percent-encoding", body);
    assertRefused("/rsscloud/ping", "result", "bad percent-encoding", body);
    before.holds();
  }

  static Stream<Arguments> badPings() {
    return Stream.of(
        Arguments.of("no feed is named", ""),
        Arguments.of("no feed is named", "url="),
        Arguments.of("no feed is named", "feed=http://news.example/"),
        Arguments.of("is not an absolute http or https URL", "url=feed.xml"),
        Arguments.of("is not an absolute http or https URL", "url=ftp%3A%2F%2Fnews.example%2F"),
        Arguments.of("is not a URL", "url=http%3A%2F%2Fnews.example%2F%0d%0a"),
        Arguments.of("must not carry a user name", "url=http%3A%2F%2Fu%40news.example%2F"),
        Arguments.of("is longer than", "url=http://news.example/" + "a".repeat(3_000)));
  }

  @ParameterizedTest(name = "{index}: {0}")
  @MethodSource("badPings")
  void a_bad_ping_is_refused_with_the_reason_and_changes_nothing(String reason, String form) {
    assertRefused("/ping", "result", reason, form.getBytes(UTF_8));
    before.holds();
  }

  @Test
  void of_several_feeds_in_a_ping_one_that_is_bad_spoils_the_call() {
    assertRefused(
        "/ping",
        "result",
        "is not an absolute",
        Http.encode("url", world.origin().url("feed.xml"), "url", "mailto:a@b").getBytes(UTF_8));
    before.holds();
  }

  @Test
  void a_protocol_that_calls_a_procedure_needs_the_name_of_one() {
    for (String protocol : List.of("xml-rpc", "soap")) {
      Map<String, String> form = good();
      form.put("protocol", protocol);
      assertRefused(
          "/pleaseNotify",
          "notifyResult",
          "notifyProcedure is missing: " + protocol,
          encoded(form).getBytes(UTF_8));
      form.put("notifyProcedure", "<b/>");
      assertRefused(
          "/pleaseNotify",
          "notifyResult",
          "is no name that can be called by " + protocol,
          encoded(form).getBytes(UTF_8));
    }
    before.holds();
  }

  private void assertRefused(String path, String element, String reason, byte[] form) {
    HttpResponse<String> xml = world.gateway().post(path, FORM, form);
    Results.Result inXml = Results.xml(xml, element);
    assertThat(inXml.success()).isFalse();
    assertThat(inXml.msg()).contains(reason);

    HttpResponse<String> json = world.gateway().post(path, FORM, form, "Accept", JSON);
    assertThat(Results.json(json)).isEqualTo(inXml);
  }

  private static Map<String, String> good() {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("notifyProcedure", "");
    form.put("domain", "reader.example");
    form.put("port", "80");
    form.put("path", "/notify");
    form.put("protocol", "http-post");
    form.put("url1", "http://news.example/feed.xml");
    return form;
  }

  private static Arguments without(String name, String reason) {
    Map<String, String> form = good();
    form.remove(name);
    return Arguments.of(reason, encoded(form));
  }

  private static Arguments with(String name, String value, String reason) {
    Map<String, String> form = good();
    form.put(name, value);
    return Arguments.of(reason, encoded(form));
  }

  private static String encoded(Map<String, String> form) {
    return Http.encode(
        form.entrySet().stream()
            .flatMap(field -> Stream.of(field.getKey(), field.getValue()))
            .toArray(String[]::new));
  }
}
