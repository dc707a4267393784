package io.feedbridge.gateway.web.cloud;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.FakeOrigin;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Rpc;
import io.feedbridge.gateway.testing.Untouched;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.rsscloud.CloudCall;
import io.feedbridge.rsscloud.RpcAnswer;
import io.feedbridge.rsscloud.RpcCall;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RpcValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway as a cloud over XML-RPC and SOAP: registrations, notifications, pings. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProcedureRulesTest {

  private static final String XML = "text/xml";
  private static final RpcAnswer TRUE_TEXT = new RpcAnswer.Result(new RpcValue.Text("true"));
  private static final RpcAnswer TRUE = new RpcAnswer.Result(new RpcValue.Bool(true));

  private final AtomicInteger numbers = new AtomicInteger();
  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  /** A feed of its own, whose page is its own too. */
  private final class Site {

    final String path = "site" + numbers.incrementAndGet();
    final String file = path + ".xml";
    final String page = "http://" + path + ".example/";
    final String feed = publish("one");

    String publish(String... items) {
      String document =
          FakeOrigin.rssOf("", items)
              .replace("<link>http://news.example/</link>", "<link>" + page + "</link>");
      return world.origin().serve(file, "application/rss+xml", document);
    }

    RpcAnswer register(RpcProtocol rpc, String protocol, String... domain) {
      List<RpcValue> arguments = new ArrayList<>();
      arguments.add(new RpcValue.Text("river.feedUpdated"));
      arguments.add(new RpcValue.Int(world.subscriber().port()));
      arguments.add(new RpcValue.Text("/" + path));
      arguments.add(new RpcValue.Text(protocol));
      arguments.add(RpcValue.Items.ofTexts(List.of(feed)));
      for (String name : domain) {
        arguments.add(new RpcValue.Text(name));
      }
      return call(rpc, "rssCloud.pleaseNotify", arguments.toArray(RpcValue[]::new));
    }

    void handledBy(Function<Request, Response> handler) {
      world
          .subscriber()
          .answer(path, request -> CompletableFuture.completedFuture(handler.apply(request)));
    }

    int subscriptions() {
      return world
          .gateway()
          .rows()
          .count("subscription WHERE callback = '" + world.subscriber().url(path) + "'");
    }

    int fetches() {
      return world.origin().requests(file).size();
    }
  }

  private RpcAnswer call(RpcProtocol rpc, String procedure, RpcValue... arguments) {
    String path = rpc == RpcProtocol.SOAP ? "/soap" : "/RPC2";
    HttpResponse<String> reply = post(path, rpc.writeCall(RpcCall.of(procedure, arguments)));
    RpcAnswer answer = Rpc.answer(rpc, reply);
    boolean fault = answer instanceof RpcAnswer.Fault;
    assertThat(reply.statusCode()).isEqualTo(fault ? rpc.faultStatus() : 200);
    assertThat(reply.headers().firstValue("Content-Type")).hasValue("text/xml; charset=utf-8");
    return answer;
  }

  private HttpResponse<String> post(String path, byte[] body, String... headers) {
    return world.gateway().post(path, XML, body, headers);
  }

  private static RpcAnswer yes(RpcProtocol rpc) {
    return rpc == RpcProtocol.SOAP ? TRUE_TEXT : TRUE;
  }

  private static RpcValue text(String text) {
    return new RpcValue.Text(text);
  }

  @ParameterizedTest
  @EnumSource(RpcProtocol.class)
  void hello_is_answered_with_true(RpcProtocol rpc) {
    assertThat(call(rpc, "rssCloud.hello")).isEqualTo(yes(rpc));
  }

  @Test
  void the_procedures_are_listed() {
    assertThat(call(RpcProtocol.XML_RPC, "system.listMethods"))
        .isEqualTo(new RpcAnswer.Result(RpcValue.Items.ofTexts(CloudCall.PROCEDURES)));
  }

  @Nested
  class ARegistration {

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void tests_the_handler_by_its_procedure_and_is_answered_with_true(RpcProtocol rpc) {
      for (String protocol : List.of("xml-rpc", "soap")) {
        Site site = new Site();
        site.handledBy(Rpc::yes);

        assertThat(site.register(rpc, protocol, "127.0.0.1")).isEqualTo(yes(rpc));

        Request test = world.delivery(site.path);
        assertThat(Rpc.call(test).procedure()).isEqualTo("river.feedUpdated");
        assertThat(Rpc.call(test).values()).containsExactly(text(site.feed));
        assertThat(Rpc.protocol(test))
            .isEqualTo(protocol.equals("soap") ? RpcProtocol.SOAP : RpcProtocol.XML_RPC);
        assertThat(test.header("SOAPAction").orElse("none"))
            .isEqualTo(protocol.equals("soap") ? "\"\"" : "none");
        assertThat(site.subscriptions()).isEqualTo(1);
      }
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void by_many_at_the_same_time_is_kept_for_each(RpcProtocol rpc) {
      Site site = new Site();
      site.handledBy(Rpc::yes);
      String protocol = rpc == RpcProtocol.SOAP ? "soap" : "xml-rpc";
      List<CompletableFuture<RpcAnswer>> answers = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        String handler = site.path + "-" + i;
        world
            .subscriber()
            .answer(handler, request -> CompletableFuture.completedFuture(Rpc.yes(request)));
        answers.add(
            CompletableFuture.supplyAsync(
                () ->
                    call(
                        rpc,
                        "rssCloud.pleaseNotify",
                        text("river.feedUpdated"),
                        new RpcValue.Int(world.subscriber().port()),
                        text("/" + handler),
                        text(protocol),
                        RpcValue.Items.ofTexts(List.of(site.feed)),
                        text("127.0.0.1"))));
      }

      assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo(yes(rpc)));
      String all =
          "subscription WHERE callback LIKE '" + world.subscriber().url(site.path + "-") + "%'";
      assertThat(world.gateway().rows().count(all)).isEqualTo(30);
    }

    @Test
    void of_a_plain_handler_is_tested_as_over_REST() {
      Site site = new Site();

      assertThat(site.register(RpcProtocol.XML_RPC, "http-post", "127.0.0.1")).isEqualTo(TRUE);

      assertThat(world.subscriber().asked(site.path)).hasSize(1);
      assertThat(world.subscriber().received(site.path)).isEmpty();
    }

    @Test
    void without_a_domain_is_for_the_callers_own_address() {
      Site site = new Site();

      assertThat(site.register(RpcProtocol.XML_RPC, "xml-rpc")).isEqualTo(TRUE);

      assertThat(site.subscriptions()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void whose_handler_answers_by_a_fault_is_refused_by_a_fault(RpcProtocol rpc) {
      Site site = new Site();
      site.handledBy(request -> Rpc.fault(request, "no such <procedure>"));

      RpcAnswer answer = site.register(rpc, rpc == RpcProtocol.SOAP ? "soap" : "xml-rpc");

      assertThat(((RpcAnswer.Fault) answer).code())
          .isEqualTo(rpc == RpcProtocol.SOAP ? "SOAP-ENV:Client" : "4");
      assertThat(((RpcAnswer.Fault) answer).message())
          .contains(site.feed, "your handler failed its test", "no such <procedure>");
      assertThat(site.subscriptions()).isZero();
    }

    @Test
    void with_a_domain_whose_host_takes_anything_is_refused() {
      Site site = new Site();

      assertThat(site.register(RpcProtocol.XML_RPC, "xml-rpc", "127.0.0.1"))
          .isInstanceOf(RpcAnswer.Fault.class);
      assertThat(site.subscriptions()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/RPC2", "/soap", "/pleaseNotify", "/rsscloud/pleaseNotify"})
    void is_told_by_its_envelope_wherever_it_is_posted(String path) {
      for (RpcProtocol rpc : RpcProtocol.values()) {
        HttpResponse<String> reply = post(path, rpc.writeCall(RpcCall.of("rssCloud.hello")));
        assertThat(Rpc.answer(rpc, reply)).isEqualTo(yes(rpc));
      }
    }
  }

  @Nested
  class ANotification {

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void calls_the_registered_procedure_after_a_WebSub_publish(RpcProtocol rpc) {
      Site site = new Site();
      site.handledBy(Rpc::yes);
      site.register(rpc, rpc == RpcProtocol.SOAP ? "soap" : "xml-rpc", "127.0.0.1");
      site.publish("two", "one");

      world.publish(site.feed);

      Request notification = world.deliveries(site.path, 2).get(1);
      assertThat(Rpc.protocol(notification)).isEqualTo(rpc);
      assertThat(Rpc.call(notification).procedure()).isEqualTo("river.feedUpdated");
      assertThat(Rpc.call(notification).values()).containsExactly(text(site.feed));
      assertThat(world.gateway().rows().count("laggard")).isZero();
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void that_is_answered_by_a_fault_is_an_error(RpcProtocol rpc) {
      Site site = new Site();
      site.handledBy(Rpc::yes);
      site.register(rpc, rpc == RpcProtocol.SOAP ? "soap" : "xml-rpc", "127.0.0.1");
      // A fault of XML-RPC has status 200.
      site.handledBy(request -> Rpc.fault(request, "not today"));
      site.publish("two", "one");

      world.publish(site.feed);

      world.deliveries(site.path, 2);
      assertThat(world.gateway().rows().query("SELECT error FROM laggard"))
          .anySatisfy(error -> assertThat(error).contains("a fault: 'not today'"));
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void that_is_never_answered_delays_nobody(RpcProtocol rpc) {
      Site site = new Site();
      site.handledBy(Rpc::yes);
      site.register(rpc, rpc == RpcProtocol.SOAP ? "soap" : "xml-rpc", "127.0.0.1");
      String patient = site.path + "-patient";
      world.register(site.feed, patient);
      world.subscriber().answer(site.path, request -> new CompletableFuture<>());

      for (String item : List.of("two", "three", "four")) {
        site.publish(item, "one");
        world.gateway().form("/ping", "url", site.feed);
        int sent = List.of("two", "three", "four").indexOf(item) + 1;
        World.until(() -> world.subscriber().received(patient).size() == sent);
      }

      // Its test and the one notification that it holds, which ends at its bound of 10 s.
      assertThat(world.subscriber().received(site.path)).hasSize(2);
      site.handledBy(Rpc::yes);
    }

    @Test
    void ignores_the_value_that_is_returned() {
      Site site = new Site();
      site.handledBy(Rpc::yes);
      site.register(RpcProtocol.XML_RPC, "xml-rpc", "127.0.0.1");
      site.handledBy(request -> Response.text(200, "a page"));
      site.publish("two", "one");

      world.publish(site.feed);

      world.deliveries(site.path, 2);
      String mine =
          "laggard WHERE host LIKE '%"
              + world.subscriber().port()
              + "' AND feed_id ="
              + " (SELECT id FROM feed WHERE topic = '"
              + site.feed
              + "')";
      assertThat(world.gateway().rows().count(mine)).isZero();
    }
  }

  @Nested
  class APing {

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void of_a_cloud_is_answered_with_true_and_makes_one_fetch(RpcProtocol rpc) {
      Site site = new Site();
      world.register(site.feed, site.path);

      assertThat(call(rpc, "rssCloud.ping", text(site.feed))).isEqualTo(yes(rpc));

      world.gateway().settle();
      assertThat(site.fetches()).isEqualTo(2);
    }

    @Test
    void for_a_feed_that_nobody_follows_is_answered_with_true_and_fetches_nothing() {
      Site site = new Site();

      assertThat(call(RpcProtocol.XML_RPC, "rssCloud.ping", text(site.feed))).isEqualTo(TRUE);

      world.gateway().settle();
      assertThat(site.fetches()).isZero();
    }

    private void assertThanked(RpcAnswer answer) {
      RpcValue.Fields fields = (RpcValue.Fields) ((RpcAnswer.Result) answer).value();
      assertThat(fields.values())
          .containsEntry("flerror", new RpcValue.Bool(false))
          .containsEntry("message", text("Thanks for the ping."));
    }

    @Test
    void of_a_ping_service_or_a_page_says_when_no_subscriber_follows_the_feed() {
      Site site = new Site();
      String said = "Thanks for the ping. No subscriber here follows " + site.feed;

      RpcAnswer answer =
          call(RpcProtocol.XML_RPC, "weblogUpdates.ping", text("A"), text(site.feed));
      RpcValue.Fields fields = (RpcValue.Fields) ((RpcAnswer.Result) answer).value();
      assertThat(fields.values())
          .containsEntry("flerror", new RpcValue.Bool(false))
          .containsEntry("message", text(said + ": it was not fetched."));
      assertThat(world.gateway().get("/ping?" + Http.encode("url", site.feed)).body())
          .contains("<h1>Thanks for the ping.</h1>", "No subscriber here follows " + site.feed);

      world.register(site.feed, site.path);
      assertThat(world.gateway().get("/ping?" + Http.encode("url", site.feed)).body())
          .contains("Thanks for the ping.")
          .doesNotContain("No subscriber");
    }

    @Test
    void of_a_ping_service_finds_the_feed_by_its_page() {
      Site site = new Site();
      world.register(site.feed, site.path);
      String noSlash = site.page.substring(0, site.page.length() - 1);
      int fetches = site.fetches();

      for (String page : List.of(site.page, noSlash, site.page.toUpperCase(Locale.ROOT))) {
        assertThanked(call(RpcProtocol.XML_RPC, "weblogUpdates.ping", text("A"), text(page)));
        world.gateway().settle();
        assertThat(site.fetches()).isEqualTo(++fetches);
      }
    }

    @Test
    void that_is_extended_finds_the_feed_in_every_shape() {
      Site site = new Site();
      world.register(site.feed, site.path);
      int fetches = site.fetches();
      List<List<String>> shapes =
          List.of(
              List.of(
                  "A", "http://other.example/", "http://other.example/1", site.feed, "rss|opml"),
              List.of("A", "http://other.example/", site.feed),
              List.of("A", site.page, "", ""),
              List.of(site.feed, "A"),
              List.of("A", site.page, "http://other.example/new", "http://other.example/rss"));

      for (List<String> shape : shapes) {
        RpcValue[] arguments = shape.stream().map(RpcValue.Text::new).toArray(RpcValue[]::new);
        assertThanked(call(RpcProtocol.XML_RPC, "weblogUpdates.extendedPing", arguments));
        world.gateway().settle();
        assertThat(site.fetches()).as("%s", shape).isEqualTo(++fetches);
      }
    }

    @Test
    void is_listed_in_the_changes_whether_anybody_follows_the_site_or_not() {
      Site site = new Site();
      world.register(site.feed, site.path);
      String stranger = "http://stranger" + numbers.incrementAndGet() + ".example/";

      call(RpcProtocol.XML_RPC, "weblogUpdates.ping", text("A & B"), text(site.page));
      call(RpcProtocol.XML_RPC, "weblogUpdates.ping", text("C"), text(stranger));

      for (String path : List.of("/changes.xml", "/shortChanges.xml")) {
        HttpResponse<String> changes = world.gateway().get(path);
        assertThat(changes.headers().firstValue("Content-Type"))
            .hasValue("text/xml; charset=utf-8");
        assertThat(changes.body())
            .contains(
                "<weblog name=\"A &amp; B\" url=\"" + site.page + "\" rssUrl=\"" + site.feed + "\"")
            .contains("<weblog name=\"C\" url=\"" + stranger + "\" when=\"0\"");
      }
    }

    @Test
    void of_a_ping_service_without_a_url_says_so_in_its_struct() {
      RpcAnswer answer =
          call(RpcProtocol.XML_RPC, "weblogUpdates.ping", text("A"), text("a.example"));

      RpcValue.Fields fields = (RpcValue.Fields) ((RpcAnswer.Result) answer).value();
      assertThat(fields.values()).containsEntry("flerror", new RpcValue.Bool(true));
      assertThat(fields.values().toString()).contains("http or https URL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/pingSiteForm", "/ping"})
    void by_GET_is_answered_by_a_page(String path) {
      Site site = new Site();
      world.register(site.feed, site.path);

      HttpResponse<String> page = world.gateway().get(path + "?name=A&url=" + site.page);

      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
      assertThat(page.body()).contains("Thanks for the ping.");
      world.gateway().settle();
      assertThat(site.fetches()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?name=A", "?url=a.example", "?url=%3Cscript%3E"})
    void by_GET_without_a_url_is_a_page_with_the_reason(String query) {
      HttpResponse<String> page = world.gateway().get("/pingSiteForm" + query);

      assertThat(page.statusCode()).isEqualTo(400);
      assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
      assertThat(page.body()).contains("http or https URL").doesNotContain("<script");
    }
  }

  @Test
  void there_are_forms_for_people() {
    assertThat(world.gateway().get("/pingForm").body())
        .contains("action=\"/pingSiteForm\"", "name=\"url\"");
    assertThat(world.gateway().get("/pleaseNotifyForm").body())
        .contains("action=\"/pleaseNotify\"", "name=\"url1\"", "name=\"notifyProcedure\"");
  }

  @Nested
  class AClient {

    private final byte[] hello = RpcProtocol.XML_RPC.writeCall(RpcCall.of("rssCloud.hello"));

    @ParameterizedTest
    @ValueSource(strings = {"text/xml", "application/json", "text/html, */*;q=0.1", ""})
    void that_accepts_whatever_is_served(String accept) {
      assertThat(Rpc.answer(RpcProtocol.XML_RPC, post("/RPC2", hello, "Accept", accept)))
          .isEqualTo(TRUE);
    }

    @Test
    void that_names_no_content_type_is_served() throws IOException, InterruptedException {
      HttpResponse<String> reply =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(world.gateway().url("/RPC2")))
                      .version(HttpClient.Version.HTTP_1_1)
                      .POST(HttpRequest.BodyPublishers.ofByteArray(hello))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());

      assertThat(Rpc.answer(RpcProtocol.XML_RPC, reply)).isEqualTo(TRUE);
    }

    @Test
    void that_writes_latin1_and_untyped_values_is_served() {
      String ping =
          "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><methodCall><methodName>weblogUpdates.ping"
              + "</methodName><params><param><value>Müller</value></param><param><value>"
              + "http://mueller.example/</value></param></params></methodCall>";

      assertThat(post("/RPC2", ping.getBytes(ISO_8859_1)).body()).contains("Thanks for the ping.");
    }
  }

  @Nested
  class Bad {

    private static final String DTD = "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/hostname\">]>";

    private void assertFault(String path, String body, String reason) {
      Untouched before = Untouched.of(world);
      RpcProtocol rpc = path.equals("/soap") ? RpcProtocol.SOAP : RpcProtocol.XML_RPC;

      HttpResponse<String> reply = post(path, body.getBytes(UTF_8));

      assertThat(reply.statusCode()).isEqualTo(rpc.faultStatus());
      assertThat(((RpcAnswer.Fault) Rpc.answer(rpc, reply)).message()).contains(reason);
      before.holds();
    }

    @Test
    void documents_are_answered_by_the_fault_of_the_path() {
      for (String path : List.of("/RPC2", "/soap")) {
        assertFault(path, "", "the message is empty");
        assertFault(path, "hello", "not well-formed XML");
        assertFault(path, "<html>", "not well-formed XML");
      }
    }

    @Test
    void documents_with_a_dtd_are_not_read() {
      assertFault(
          "/soap",
          DTD + "<Envelope><Body><rssCloud.ping><url>&e;</url></rssCloud.ping></Body></Envelope>",
          "document type declaration");
      assertFault(
          "/RPC2",
          DTD + "<methodCall><methodName>&e;</methodName></methodCall>",
          "document type declaration");
    }

    @Test
    void structs_10_000_deep_are_not_read() {
      assertFault(
          "/RPC2",
          "<methodCall><methodName>rssCloud.ping</methodName><params><param><value>"
              + "<struct><member><name>a</name><value>".repeat(10_000),
          "nested deeper");
    }

    @Test
    void procedures_and_arguments_are_answered_with_the_reason() {
      assertFault("/RPC2", call("blogger.newPost"), "there is no procedure");
      assertFault("/RPC2", call("rssCloud.ping"), "no feed is named");
      assertFault("/RPC2", call("rssCloud.ping", "feed.xml"), "is not an absolute");
      assertFault("/RPC2", registration("0", "xml-rpc", "a"), "port '0'");
      assertFault("/RPC2", registration("80", "XML-RPC", "a"), "protocol 'XML-RPC' is not known");
      assertFault("/RPC2", registration("80", "soap", "<b/>"), "is no name");
      assertFault("/RPC2", registration("80", "xml-rpc", ""), "notifyProcedure is missing");
    }

    private String call(String procedure, String... arguments) {
      RpcValue[] values = Arrays.stream(arguments).map(RpcValue.Text::new).toArray(RpcValue[]::new);
      return new String(RpcProtocol.XML_RPC.writeCall(RpcCall.of(procedure, values)), UTF_8);
    }

    private String registration(String port, String protocol, String procedure) {
      return call("rssCloud.pleaseNotify", procedure, port, "/", protocol, "http://feed.example/");
    }

    @Test
    void with_1_000_urls_is_refused() {
      List<String> urls = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        urls.add("http://feed.example/" + i);
      }
      RpcCall call =
          RpcCall.of(
              "rssCloud.pleaseNotify",
              text("a"),
              new RpcValue.Int(80),
              text("/"),
              text("xml-rpc"),
              RpcValue.Items.ofTexts(urls));
      assertFault("/RPC2", new String(RpcProtocol.XML_RPC.writeCall(call), UTF_8), "at most 100");
    }

    @Test
    void notifications_of_what_is_not_followed_are_faults() {
      assertFault("/RPC2", call("rssCloud.notify", "http://feed.example/"), "does not follow");
      assertFault("/RPC2", call("rssCloud.notify", "feed.xml"), "the URL of a feed");
    }
  }
}
