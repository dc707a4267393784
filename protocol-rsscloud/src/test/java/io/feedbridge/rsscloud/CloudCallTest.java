package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a cloud is asked by procedures. */
class CloudCallTest {

  private static final String CALLER = "192.0.2.7";
  private static final String FEED = "http://a.example/rss.xml";
  private static final String PAGE = "http://a.example/";

  private static CloudCall parse(String procedure, Object... arguments) throws BadRpcException {
    RpcValue[] values =
        Arrays.stream(arguments)
            .map(
                argument ->
                    argument instanceof RpcValue value
                        ? value
                        : new RpcValue.Text(argument.toString()))
            .toArray(RpcValue[]::new);
    return CloudCall.parse(RpcCall.of(procedure, values), CALLER);
  }

  private static void assertBad(String reason, String procedure, Object... arguments) {
    assertThatExceptionOfType(BadRpcException.class)
        .isThrownBy(() -> parse(procedure, arguments))
        .withMessageContaining(reason);
  }

  @Nested
  class PleaseNotify {

    private final RpcValue feeds = RpcValue.Items.ofTexts(List.of(FEED));

    @ParameterizedTest
    @ValueSource(
        strings = {
          "rssCloud.pleaseNotify",
          "xmlStorageSystem.rssPleaseNotify",
          "myCloud.rssPleaseNotify",
          "pleaseNotify"
        })
    void is_told_by_the_last_segment_of_its_name(String procedure) throws Exception {
      assertThat(parse(procedure, "notifyMe", new RpcValue.Int(80), "/RPC2", "xml-rpc", feeds))
          .isEqualTo(
              new CloudCall.PleaseNotify(
                  new Registration(
                      "notifyMe",
                      "http://192.0.2.7/RPC2",
                      false,
                      CloudProtocol.XML_RPC,
                      List.of(FEED))));
    }

    @Test
    void takes_untyped_ports_and_one_feed_without_a_list_and_a_domain() throws Exception {
      assertThat(parse("pleaseNotify", "", "8080", "notify", "http-post", FEED, "b.example"))
          .isEqualTo(
              new CloudCall.PleaseNotify(
                  new Registration(
                      "",
                      "http://b.example:8080/notify",
                      true,
                      CloudProtocol.HTTP_POST,
                      List.of(FEED))));
    }

    @Test
    void of_1_000_urls_is_refused() {
      List<String> urls = IntStream.range(0, 1_000).mapToObj(i -> PAGE + i).toList();
      assertBad(
          "1000 feeds are named, at most 100",
          "pleaseNotify",
          "a",
          "80",
          "/",
          "xml-rpc",
          RpcValue.Items.ofTexts(urls));
    }

    @Test
    void with_bad_arguments_is_refused_with_the_reason() {
      assertBad("protocol is missing", "pleaseNotify");
      assertBad("protocol 'XML-RPC' is not known", "pleaseNotify", "a", 80, "/", "XML-RPC", feeds);
      assertBad("port '0'", "pleaseNotify", "a", 0, "/", "xml-rpc", feeds);
      assertBad("no feed is named", "pleaseNotify", "a", 80, "/", "xml-rpc");
      assertBad("no feed", "pleaseNotify", "a", 80, "/", "xml-rpc", new RpcValue.Items(List.of()));
      assertBad("is no name", "pleaseNotify", "<b/>", 80, "/", "xml-rpc", feeds);
    }
  }

  @Nested
  class ARequestForNotification {

    private final RpcValue feeds = RpcValue.Items.ofTexts(List.of(FEED));

    @Test
    void is_a_registration_whose_user_counts_for_nothing() throws Exception {
      Registration expected =
          new Registration(
              "notifyMe",
              "http://192.0.2.7:5335/RPC2",
              false,
              CloudProtocol.XML_RPC,
              List.of(FEED));
      RpcValue user =
          new RpcValue.Fields(
              Map.of(
                  "email", new RpcValue.Text("a@a.example"), "password", new RpcValue.Text("b")));

      for (RpcValue last : List.of(user, new RpcValue.Fields(Map.of()))) {
        assertThat(
                parse(
                    "xmlStorageSystem.requestNotification",
                    "notifyMe",
                    new RpcValue.Int(5335),
                    "/RPC2",
                    "xml-rpc",
                    feeds,
                    last))
            .isEqualTo(new CloudCall.RequestNotification(expected));
      }
      assertThat(
              parse(
                  "xmlStorageSystem.requestNotification",
                  "notifyMe",
                  new RpcValue.Int(5335),
                  "/RPC2",
                  "xml-rpc",
                  feeds))
          .isEqualTo(new CloudCall.RequestNotification(expected));
    }
  }

  @Nested
  class AMulticall {

    private static RpcValue call(String procedure, String... arguments) {
      return new RpcValue.Fields(
          Map.of(
              "methodName",
              new RpcValue.Text(procedure),
              "params",
              RpcValue.Items.ofTexts(List.of(arguments))));
    }

    @Test
    void holds_calls_in_order() throws Exception {
      RpcValue calls =
          new RpcValue.Items(
              List.of(call("rssCloud.ping", FEED), call("weblogUpdates.ping", "A", PAGE)));

      assertThat(parse("system.multicall", calls))
          .isEqualTo(
              new CloudCall.Multicall(
                  List.of(
                      RpcCall.of("rssCloud.ping", new RpcValue.Text(FEED)),
                      RpcCall.of(
                          "weblogUpdates.ping", new RpcValue.Text("A"), new RpcValue.Text(PAGE)))));
    }

    @Test
    void of_too_many_calls_or_of_another_multicall_is_refused() {
      RpcValue many =
          new RpcValue.Items(
              IntStream.rangeClosed(0, CloudCall.MAX_CALLS)
                  .mapToObj(i -> call("rssCloud.hello"))
                  .toList());
      assertBad("at most 100 may be", "system.multicall", many);
      assertBad(
          "must not be in a multicall",
          "system.multicall",
          new RpcValue.Items(List.of(call("System.Multicall"))));
      assertBad(
          "struct of methodName and params",
          "system.multicall",
          RpcValue.Items.ofTexts(List.of("rssCloud.hello")));
      assertBad("one parameter", "system.multicall");
    }
  }

  @Nested
  class APing {

    @ParameterizedTest
    @ValueSource(strings = {"rssCloud.ping", "myCloud.ping", "ping"})
    void of_a_cloud_has_one_parameter(String procedure) throws Exception {
      assertThat(parse(procedure, FEED))
          .isEqualTo(new CloudCall.PingFeeds(new Ping(List.of(FEED))));
    }

    @Test
    void of_a_cloud_without_a_url_is_refused() {
      assertBad("no feed is named", "rssCloud.ping");
      assertBad("is not an absolute http or https URL", "rssCloud.ping", "feed.xml");
    }

    @ParameterizedTest
    @ValueSource(strings = {"weblogUpdates.ping", "ping", "WeblogUpdates.extendedPing"})
    void of_a_ping_service_has_a_name_and_a_url(String procedure) throws Exception {
      assertThat(parse(procedure, "A site", PAGE))
          .isEqualTo(
              new CloudCall.PingWeblog(new WeblogPing("A site", List.of(PAGE), Optional.empty())));
    }
  }

  @Nested
  class AWeblogPing {

    private final String changed = "http://a.example/2007/01";

    @Test
    void names_the_homepage_the_page_the_feed_and_tags() {
      assertThat(WeblogPing.of(List.of("A", PAGE, changed, FEED, "rss|opml")))
          .isEqualTo(new WeblogPing("A", List.of(FEED, changed, PAGE), Optional.empty()));
    }

    @Test
    void that_is_extended_keeps_the_feed_that_it_names() throws Exception {
      assertThat(named("weblogUpdates.extendedPing", "A", PAGE, changed, FEED, "rss|opml"))
          .hasValue(FEED);
      assertThat(named("weblogUpdates.extendedPing", "A", PAGE, "", FEED)).hasValue(FEED);
      assertThat(named("weblogUpdates.extendedPing", "A", PAGE, FEED)).hasValue(FEED);
      assertThat(named("weblogUpdates.extendedPing", "A", PAGE, changed, "")).isEmpty();
      assertThat(named("weblogUpdates.extendedPing", "A", PAGE)).isEmpty();
      assertThat(named("weblogUpdates.ping", "A", PAGE, FEED)).isEmpty();
    }

    private static Optional<String> named(String procedure, Object... arguments)
        throws BadRpcException {
      return ((CloudCall.PingWeblog) parse(procedure, arguments)).ping().feed();
    }

    @Test
    void of_wordpress_has_the_feed_in_the_third_place() {
      assertThat(WeblogPing.of(List.of("A", PAGE, FEED)).candidates()).containsExactly(FEED, PAGE);
    }

    @Test
    void may_have_name_and_url_swapped_or_a_place_empty() {
      assertThat(WeblogPing.of(List.of(PAGE, "A")))
          .isEqualTo(new WeblogPing("A", List.of(PAGE), Optional.empty()));
      assertThat(WeblogPing.of(List.of("A", PAGE, "", FEED)).candidates())
          .containsExactly(FEED, PAGE);
    }

    @Test
    void may_have_no_name() {
      assertThat(WeblogPing.of(List.of("", PAGE, FEED)).name()).isEqualTo(PAGE);
      assertThat(WeblogPing.of(List.of("", PAGE, FEED)).site()).hasValue(PAGE);
    }

    @Test
    void without_a_url_has_no_candidates() {
      assertThat(WeblogPing.of(List.of("A", "a.example")).candidates()).isEmpty();
      assertThat(WeblogPing.of(List.of()).site()).isEmpty();
    }

    @Test
    void has_a_name_of_bounded_length() {
      assertThat(WeblogPing.of(List.of("a".repeat(254) + "😀", PAGE)).name()).hasSize(254);
    }

    @Test
    void is_answered_by_a_struct() throws Exception {
      byte[] answer = RpcProtocol.XML_RPC.writeAnswer(RpcCall.of("ping"), WeblogPing.thanks());
      assertThat(new String(answer, UTF_8))
          .contains("<name>flerror</name><value><boolean>0</boolean></value>")
          .contains("<name>message</name><value><string>Thanks for the ping.</string></value>");
    }
  }

  @Test
  void hello_and_listMethods_need_no_parameters() throws Exception {
    assertThat(parse("rssCloud.hello")).isEqualTo(new CloudCall.Hello());
    assertThat(parse("system.listMethods")).isEqualTo(new CloudCall.ListMethods());
  }

  @Test
  void every_procedure_that_is_listed_is_there() {
    for (String procedure : CloudCall.PROCEDURES) {
      try {
        parse(procedure);
      } catch (BadRpcException e) {
        assertThat(e.getMessage()).doesNotContain("there is no procedure");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"blogger.newPost", "rssCloud.", ".", "pleaseNotify.x", "pïng"})
  void another_procedure_is_refused_and_shown_where_the_others_are_listed(String procedure) {
    assertBad("there is no procedure '" + procedure + "' here", procedure);
  }

  @Nested
  class ANotification {

    @Test
    void has_the_feed_as_its_first_parameter() throws Exception {
      assertThat(parse("rssCloud.notify", FEED))
          .isEqualTo(new CloudCall.Notify(new NotificationRequest(FEED)));
    }

    @Test
    void without_a_url_is_refused() {
      assertBad("a notification has the URL of a feed", "rssCloud.notify");
      assertBad("a notification has the URL of a feed", "rssCloud.notify", "feed.xml");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "true, true",
    "1, true",
    "TRUE, true",
    "false, false",
    "0, false",
    "'', false",
    "Sorry, false",
  })
  void a_registration_stands_if_the_answer_is_true(String said, boolean success) {
    assertThat(NotifyResult.of(new RpcAnswer.Result(new RpcValue.Text(said))).success())
        .isEqualTo(success);
  }

  @Test
  void a_registration_does_not_stand_after_a_fault() {
    NotifyResult result = NotifyResult.of(new RpcAnswer.Fault("4", "the cloud is full"));
    assertThat(result).isEqualTo(NotifyResult.refused("the cloud is full"));
  }
}
