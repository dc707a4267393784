package io.feedbridge.rsscloud;

import static io.feedbridge.rsscloud.Forms.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegistrationTest {

  private static final String CALLER = "192.0.2.7";

  private static Registration parse(String... replaced) throws BadRegistrationException {
    return Registration.parse(Forms.registration(replaced), CALLER);
  }

  private static void assertRefused(String reason, String... replaced) {
    assertRefused(reason, Forms.registration(replaced), CALLER);
  }

  private static void assertRefused(String reason, Map<String, List<String>> form, String caller) {
    assertThatExceptionOfType(BadRegistrationException.class)
        .isThrownBy(() -> Registration.parse(form, caller))
        .withMessageContaining(reason);
  }

  @Nested
  class The_caller {

    @Test
    void without_domain_notifications_go_to_the_address_the_request_came_from() throws Exception {
      Registration registration = parse();
      assertThat(registration.callback()).isEqualTo("http://192.0.2.7:8080/notify");
      assertThat(registration.domainGiven()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2001:DB8::1", "[2001:db8::1]", "2001:db8::1%eth0"})
    void an_ipv6_caller_stands_in_brackets_without_its_zone(String caller) throws Exception {
      assertThat(Registration.parse(Forms.registration(), caller).callback())
          .isEqualTo("http://[2001:db8::1]:8080/notify");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "unknown peer", "192.0.2.7/x", "1:2", ":", "%"})
    void an_unreadable_caller_is_a_refusal_that_asks_for_a_domain(String caller) {
      assertRefused("give a domain", Forms.registration(), caller);
    }
  }

  @Nested
  class Domain {

    @ParameterizedTest
    @CsvSource({
      "news.example, news.example",
      "News.Example., news.example",
      "my_blog.example, my_blog.example",
      "localhost, localhost",
      "müller.example, xn--mller-kva.example",
      "198.51.100.4, 198.51.100.4",
      "2001:db8::4, [2001:db8::4]",
      "[::ffff:198.51.100.4], [::ffff:198.51.100.4]",
    })
    void a_host_name_or_ip_literal_replaces_the_caller(String domain, String host)
        throws Exception {
      Registration registration = parse("domain", domain);
      assertThat(registration.callback()).isEqualTo("http://" + host + ":8080/notify");
      assertThat(registration.domainGiven()).isTrue();
    }

    @Test
    void an_empty_domain_is_none() throws Exception {
      assertThat(parse("domain", "").domainGiven()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "a.example/x",
          "a.example\\x",
          "user@a.example",
          "a.example:80",
          "a.example#x",
          "a.example?x",
          "a b.example",
          " a.example",
          " ",
          "a.example\r\nX: y",
          "a\u0000.example",
          "http://a.example",
          "a..example",
          ".example",
          ".",
          "%61.example",
          "[::1",
          "::1]",
          "[]",
          "[::1]:80",
          "[::1%25lo]",
          "fe80::1%lo",
          ":::1",
          "1::2::3",
          "12345::1",
          "a:b:c",
          "127.1",
          "2130706433",
          "0x7f000001",
          "0x7f.0.0.1",
          "0177.0.0.1",
          "256.0.0.1",
          "1.2.3.4.5",
          "a℀b.example",
          "evil.example／x",
          "a\ud800.example"
        })
    void anything_but_a_host_alone_is_refused(String domain) {
      assertRefused("domain", "domain", domain);
    }

    @Test
    void labels_of_63_and_names_of_253_characters_are_the_longest() throws Exception {
      String label = "a".repeat(63);
      String longest = label + "." + label + "." + label + "." + "a".repeat(61);
      assertThat(parse("domain", longest).callback()).contains(longest);
      assertRefused("domain", "domain", longest + "a");
      assertRefused("domain", "domain", "a".repeat(64) + ".example");
    }
  }

  @Nested
  class Port {

    @ParameterizedTest
    @ValueSource(strings = {"1", "5337", "65535", "00080"})
    void from_1_to_65535(String port) throws Exception {
      assertThat(URI.create(parse("port", port).callback()).getPort())
          .isIn(Integer.parseInt(port), -1);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "0",
          "-1",
          "+80",
          "65536",
          "80.0",
          "0x50",
          " 80",
          "80 ",
          "٨٠",
          "999999999999"
        })
    void any_other_is_refused(String port) {
      assertRefused("port", "port", port);
    }

    @Test
    void must_be_there() {
      assertRefused("port is missing", "port", ABSENT);
    }
  }

  @Nested
  class Path {

    @ParameterizedTest
    @CsvSource({
      "/notify, /notify",
      "notify, /notify",
      "'', /",
      "/?rsscloud=notify, /?rsscloud=notify",
      "?rsscloud=notify, /?rsscloud=notify",
      "/a%2Fb?x[]=%20&y=a+b, /a%2Fb?x[]=%20&y=a+b",
      "//other.example/x, //other.example/x",
      "@other.example/x, /@other.example/x",
      "http://other.example/, /http://other.example/",
    })
    void gets_a_leading_slash_and_keeps_its_query_to_the_byte(String path, String expected)
        throws Exception {
      String callback = parse("path", path).callback();
      assertThat(callback).isEqualTo("http://192.0.2.7:8080" + expected);
      assertThat(URI.create(callback).getHost()).isEqualTo(CALLER);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "/a b",
          "/a\r\nHost: x",
          "/a\tb",
          "/a\u0000",
          "/ü",
          "/a#b",
          "/a%",
          "/a%zz",
          "/<x>",
          "/\\x",
          "/a\u007f"
        })
    void what_cannot_stand_in_a_request_line_is_refused(String path) {
      assertRefused("", "path", path);
    }

    @Test
    void must_be_there() {
      assertRefused("path is missing", "path", ABSENT);
    }

    @Test
    void a_callback_has_2048_characters_at_most() throws Exception {
      String longest = "/" + "a".repeat(2048 - "http://192.0.2.7:8080/".length());
      assertThat(parse("path", longest).callback()).hasSize(2048);
      assertRefused("longer than 2048", "path", longest + "a");
    }
  }

  @Nested
  class Protocol {

    @Test
    void http_post_notifies_by_http() throws Exception {
      assertThat(parse().protocol()).isEqualTo(CloudProtocol.HTTP_POST);
    }

    @Test
    void https_post_notifies_by_https_at_any_port() throws Exception {
      Registration registration = parse("protocol", "https-post");
      assertThat(registration.protocol()).isEqualTo(CloudProtocol.HTTPS_POST);
      assertThat(registration.callback()).isEqualTo("https://192.0.2.7:8080/notify");
    }

    @Test
    void http_post_with_port_443_means_https() throws Exception {
      Registration registration = parse("port", "443");
      assertThat(registration.protocol()).isEqualTo(CloudProtocol.HTTPS_POST);
      assertThat(registration.callback()).isEqualTo("https://192.0.2.7/notify");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "HTTP-POST",
          "Http-Post",
          " http-post",
          "http-post ",
          "http_post",
          "http",
          "x"
        })
    void names_are_exact_and_case_sensitive(String protocol) {
      assertRefused("protocol", "protocol", protocol);
    }

    @Test
    void must_be_there() {
      assertRefused("protocol is missing", "protocol", ABSENT);
    }

    @ParameterizedTest
    @CsvSource({
      "xml-rpc, 8080, http://192.0.2.7:8080/notify",
      "xml-rpc, 443, https://192.0.2.7/notify",
      "soap, 8080, http://192.0.2.7:8080/notify",
      "soap, 443, https://192.0.2.7/notify",
    })
    void xml_rpc_and_soap_call_the_procedure_that_is_named(
        String protocol, String port, String callback) throws Exception {
      Registration registration =
          parse("protocol", protocol, "port", port, "notifyProcedure", "river.feedUpdated");
      assertThat(registration.protocol().wireName()).isEqualTo(protocol);
      assertThat(registration.notifyProcedure()).isEqualTo("river.feedUpdated");
      assertThat(registration.callback()).isEqualTo(callback);
    }

    @ParameterizedTest
    @ValueSource(strings = {"xml-rpc", "soap"})
    void xml_rpc_and_soap_need_a_procedure(String protocol) {
      assertRefused("notifyProcedure is missing", "protocol", protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a<b/>", "a b", "a&b", "\"", "é", "a]]>"})
    void a_procedure_name_with_markup_is_refused(String procedure) {
      for (String protocol : List.of("xml-rpc", "soap")) {
        assertRefused(
            "is no name that can be called by ",
            "protocol",
            protocol,
            "notifyProcedure",
            procedure);
      }
    }
  }

  @Nested
  class Notify_procedure {

    @Test
    void may_be_empty() throws Exception {
      assertThat(parse("notifyProcedure", "").notifyProcedure()).isEmpty();
    }

    @Test
    void may_be_missing_for_http_post() throws Exception {
      assertThat(parse("notifyProcedure", ABSENT).notifyProcedure()).isEmpty();
    }

    @Test
    void is_kept() throws Exception {
      assertThat(parse("notifyProcedure", "river.notify").notifyProcedure())
          .isEqualTo("river.notify");
    }

    @Test
    void a_registerProcedure_parameter_is_read_as_it() throws Exception {
      assertThat(parse("notifyProcedure", ABSENT, "registerProcedure", "a.b").notifyProcedure())
          .isEqualTo("a.b");
      assertThat(parse("notifyProcedure", "c.d", "registerProcedure", "a.b").notifyProcedure())
          .isEqualTo("c.d");
    }

    @Test
    void is_bounded() {
      assertRefused("notifyProcedure", "notifyProcedure", "a\nb");
      assertRefused("notifyProcedure", "notifyProcedure", "a".repeat(256));
    }
  }

  @Nested
  class Urls {

    @Test
    void url1_to_urlN_in_any_order_with_gaps_and_a_bare_url() throws Exception {
      Map<String, List<String>> form = new HashMap<>(Forms.registration("url1", ABSENT));
      form.put("url10", List.of("http://j.example/"));
      form.put("url2", List.of("http://b.example/"));
      form.put("url", List.of("http://bare.example/"));
      form.put("url7", List.of("https://g.example/?a=b&c"));
      assertThat(Registration.parse(form, CALLER).urls())
          .containsExactly(
              "http://bare.example/",
              "http://b.example/",
              "https://g.example/?a=b&c",
              "http://j.example/");
    }

    @Test
    void duplicates_are_one_in_order() throws Exception {
      assertThat(
              parse(
                      "url1", "http://b.example/",
                      "url2", "http://a.example/",
                      "url3", "http://b.example/",
                      "url3", "http://c.example/")
                  .urls())
          .containsExactly("http://b.example/", "http://a.example/", "http://c.example/");
    }

    @Test
    void empty_ones_are_passed_over() throws Exception {
      assertThat(parse("url1", "", "url2", "http://a.example/").urls())
          .containsExactly("http://a.example/");
    }

    @Test
    void at_least_one_must_be_there() {
      assertRefused("no feed is named", "url1", ABSENT);
      assertRefused("no feed is named", "url1", " ");
      assertRefused("no feed is named", "url1", ABSENT, "urlx", "http://a.example/");
    }

    @Test
    void at_most_100_are_read() throws Exception {
      assertThat(Registration.parse(withUrls(100), CALLER).urls()).hasSize(100);
      assertRefused("at most 100", withUrls(101), CALLER);
    }

    private Map<String, List<String>> withUrls(int count) {
      Map<String, List<String>> form = Forms.registration("url1", ABSENT);
      IntStream.rangeClosed(1, count)
          .forEach(i -> form.put("url" + i, List.of("http://a.example/" + i)));
      return form;
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "http://a.example",
          "HTTPS://A.example:8443/Feed",
          "http://[2001:db8::1]:80/",
          "http://a.example:/",
          "http://my_blog.example/",
          "http://müller.example/größe?ß",
          "http://a.example/?a[]=b&c=%7C",
        })
    void are_kept_to_the_byte(String url) throws Exception {
      assertThat(parse("url1", url).urls()).containsExactly(url);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "a.example/feed",
          "//a.example/feed",
          "/feed",
          "ftp://a.example/",
          "file:///etc/passwd",
          "javascript:alert(1)",
          "feed://a.example/",
          "http:a.example",
          "http:///feed",
          "http://",
          "http://:80/",
          "http://user@a.example/",
          "http://user:pass@a.example/",
          "http://@a.example/",
          "http://a.example:0/",
          "http://a.example:65536/",
          "http://a.example:8o/",
          "http://a.example\\@b.example/",
          "http://a.example/a b",
          " http://a.example/",
          "http://a.example/\r\nX: y",
          "http://a.example/\n",
          "http://a.example/\u0000",
          "http://a.example/\u0085",
          "http://a.example/%",
          "http://a%2eexample/",
          "http://a℀.example/",
          "http://127.1/",
          "http://[::1/",
          "http://a.example/\ud800"
        })
    void that_are_no_plain_absolute_web_urls_are_refused(String url) {
      assertRefused("the feed '", "url1", url);
      assertRefused("the feed '", "url2", url);
    }

    @Test
    void of_2048_characters_are_the_longest() throws Exception {
      String longest = "http://a.example/" + "a".repeat(2048 - "http://a.example/".length());
      assertThat(parse("url1", longest).urls()).containsExactly(longest);
      assertRefused("longer than 2048", "url1", longest + "a");
    }
  }

  @Test
  void a_parameter_given_twice_with_different_values_is_refused() throws Exception {
    assertRefused("port is given more than once", "port", "80", "port", "81");
    assertRefused("domain is given", "domain", "a.example", "domain", "b.example");
    assertThat(parse("port", "81", "port", "81").callback())
        .isEqualTo("http://192.0.2.7:81/notify");
  }

  @Test
  void a_refusal_shows_hostile_text_shortened_and_without_controls() {
    assertThatExceptionOfType(BadRegistrationException.class)
        .isThrownBy(() -> parse("url1", "x\u0000\n\u001b[2J" + "y".repeat(100_000)))
        .satisfies(
            refusal -> {
              assertThat(refusal.getMessage()).hasSizeLessThan(300);
              assertThat(refusal.getMessage().chars()).noneMatch(Character::isISOControl);
            });
  }

  @Test
  void what_the_wordpress_plugin_sends_is_understood() throws Exception {
    Registration registration =
        Registration.parse(
            Forms.decode(
                "notifyProcedure=&port=80&path=%2F%3Frsscloud%3Dnotify&protocol=http-post"
                    + "&url1=http%3A%2F%2Ffeeds.example%2F%3Ffeed%3Drss2&domain=reader.example"),
            CALLER);
    assertThat(registration)
        .isEqualTo(
            new Registration(
                "",
                "http://reader.example/?rsscloud=notify",
                true,
                CloudProtocol.HTTP_POST,
                List.of("http://feeds.example/?feed=rss2")));
  }
}
