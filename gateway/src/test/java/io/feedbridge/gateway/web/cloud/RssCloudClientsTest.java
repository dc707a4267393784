package io.feedbridge.gateway.web.cloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Rpc;
import io.feedbridge.gateway.testing.World;
import io.feedbridge.rsscloud.RpcAnswer;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RpcValue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of rssCloud's clients in the forms in which those clients send them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RssCloudClientsTest {

  private static final String XML = "text/xml";
  private static final String HELLO =
      "<?xml version=\"1.0\"?><methodCall><methodName>rssCloud.hello</methodName></methodCall>";

  private World world;

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private RpcAnswer call(String path, String body, String... headers) {
    return Rpc.answer(
        RpcProtocol.XML_RPC, world.gateway().post(path, XML, body.getBytes(UTF_8), headers));
  }

  private static RpcValue value(RpcAnswer answer) {
    return ((RpcAnswer.Result) answer).value();
  }

  private int registrations(String path) {
    String row = "subscription WHERE callback = '" + world.subscriber().url(path) + "'";
    return world.gateway().rows().count(row);
  }

  /** As the forms of a page with {@code enctype}, and curl's {@code -F}, send it. */
  @Test
  void a_multipart_form_registers_and_pings() {
    String feed = world.origin().rss("multipart.xml", "", "one");
    String form =
        part("notifyProcedure", "")
            + part("domain", "127.0.0.1")
            + part("port", Integer.toString(world.subscriber().port()))
            + part("path", "/multipart")
            + part("protocol", "http-post")
            + part("url1", feed)
            + "--XX--\r\n";
    String type = "multipart/form-data; boundary=XX";

    assertThat(world.gateway().post("/pleaseNotify", type, form.getBytes(UTF_8)).body())
        .contains("success=\"true\"");
    assertThat(registrations("multipart")).isEqualTo(1);
    byte[] ping = (part("url", feed) + "--XX--\r\n").getBytes(UTF_8);
    assertThat(world.gateway().post("/ping", type, ping).body()).contains("success=\"true\"");
    assertThat(world.gateway().post("/ping", type, "--XX".getBytes(UTF_8)).body())
        .contains("success=\"false\"");
  }

  private static String part(String name, String value) {
    return "--XX\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n"
        .formatted(name, value);
  }

  /** The order of the arguments, and the struct at their end, are xmlStorageSystem's of 2001. */
  @Test
  void a_request_for_notification_registers_and_is_answered_by_a_struct() {
    String feed = world.origin().rss("storage.xml", "", "one");
    world
        .subscriber()
        .answer("storage", request -> CompletableFuture.completedFuture(Rpc.yes(request)));

    RpcAnswer answer = call("/RPC2", requestNotification("storage", feed));

    assertThat(value(answer))
        .isEqualTo(
            new RpcValue.Fields(
                Map.of(
                    "flError",
                    new RpcValue.Bool(false),
                    "message",
                    new RpcValue.Text("Registered. Register again within 25 hours to keep it."))));
    assertThat(registrations("storage")).isEqualTo(1);

    String missing = world.origin().fail("missing.xml", 404);
    RpcValue.Fields refused =
        (RpcValue.Fields) value(call("/RPC2", requestNotification("storage", missing)));
    assertThat(refused.values()).containsEntry("flError", new RpcValue.Bool(true));
    assertThat(requireNonNull(refused.values().get("message")).asText().orElseThrow())
        .contains("404");
  }

  private String requestNotification(String path, String feed) {
    return """
    <?xml version="1.0"?>
    <methodCall><methodName>xmlStorageSystem.requestNotification</methodName><params>
    <param><value>river.feedUpdated</value></param>
    <param><value><i4>%d</i4></value></param>
    <param><value>/%s</value></param>
    <param><value>xml-rpc</value></param>
    <param><value><array><data><value>%s</value></data></array></value></param>
    <param><value><struct>
    <member><name>email</name><value>bull@mancuso.example</value></member>
    <member><name>password</name><value>0123456789abcdef</value></member>
    </struct></value></param></params></methodCall>
    """
        .formatted(world.subscriber().port(), path, feed);
  }

  /** As xmlrpc.client's MultiCall and IXR_ClientMulticall write it. */
  @Test
  void a_multicall_is_answered_for_each_of_its_calls() {
    String feed = world.origin().rss("many.xml", "", "one");
    world.register(feed, "many");
    String body =
        "<?xml version='1.0'?><methodCall><methodName>system.multicall</methodName><params><param>"
            + "<value><array><data>"
            + one("rssCloud.ping", feed)
            + one("weblogUpdates.ping", "A site", "http://many.example/")
            + one("rssCloud.ping", "feed.xml")
            + one("rssCloud.forget")
            + "</data></array></value></param></params></methodCall>";

    List<RpcValue> answers = ((RpcValue.Items) value(call("/RPC2", body))).values();

    assertThat(answers).hasSize(4);
    assertThat(answers.get(0)).isEqualTo(new RpcValue.Items(List.of(new RpcValue.Bool(true))));
    assertThat(answers.get(1).toString()).contains("Thanks for the ping.");
    assertThat(answers.get(2).toString())
        .contains("faultCode", "faultString", "is not an absolute http or https URL");
    assertThat(answers.get(3).toString()).contains("faultCode", "there is no procedure");
    world.gateway().settle();
    assertThat(world.origin().requests("many.xml")).hasSize(2);
  }

  private static String one(String procedure, String... arguments) {
    StringBuilder params = new StringBuilder();
    for (String argument : arguments) {
      params.append("<value><string>").append(argument).append("</string></value>");
    }
    return ("<value><struct><member><name>methodName</name><value><string>%s</string></value>"
            + "</member><member><name>params</name><value><array><data>%s</data></array></value>"
            + "</member></struct></value>")
        .formatted(procedure, params);
  }

  /** The path at which Weblogs.com took pings over SOAP. */
  @Test
  void weblogUpdates_is_a_path_of_both_protocols() {
    assertThat(value(call("/weblogUpdates", HELLO))).isEqualTo(new RpcValue.Bool(true));
    String soap =
        "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\">"
            + "<SOAP-ENV:Body><ping><weblogname>A</weblogname>"
            + "<weblogurl>http://soap.example/</weblogurl></ping></SOAP-ENV:Body>"
            + "</SOAP-ENV:Envelope>";

    HttpResponse<String> answer =
        world
            .gateway()
            .post("/weblogUpdates", XML, soap.getBytes(UTF_8), "SOAPAction", "\"/weblogUpdates\"");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("Thanks for the ping.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "x-gzip", " GZIP "})
  void a_compressed_call_is_read(String encoding) {
    assertThat(
            Rpc.answer(
                RpcProtocol.XML_RPC,
                world
                    .gateway()
                    .post("/RPC2", XML, gzip(HELLO.getBytes(UTF_8)), "Content-Encoding", encoding)))
        .isEqualTo(new RpcAnswer.Result(new RpcValue.Bool(true)));
  }

  @Test
  void a_compressed_form_is_read() {
    String feed = world.origin().rss("gzip.xml", "", "one");
    byte[] form = gzip(Http.encode("url", feed).getBytes(UTF_8));

    assertThat(
            world
                .gateway()
                .post(
                    "/ping", "application/x-www-form-urlencoded", form, "Content-Encoding", "gzip")
                .body())
        .contains("success=\"true\"", feed);
  }

  @Test
  void a_compressed_body_has_the_bound_of_one_that_is_not() {
    byte[] bomb = gzip(new byte[RpcProtocol.MAX_BYTES + 1]);
    assertThat(bomb.length).isLessThan(64 * 1024);

    assertThat(encoded(bomb, "gzip")).isEqualTo(413);
    assertThat(encoded(HELLO.getBytes(UTF_8), "gzip")).isEqualTo(400);
    assertThat(encoded(HELLO.getBytes(UTF_8), "br")).isEqualTo(415);
  }

  private int encoded(byte[] body, String encoding) {
    return world.gateway().post("/RPC2", XML, body, "Content-Encoding", encoding).statusCode();
  }

  private static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new AssertionError("memory does not fail", e);
    }
    return out.toByteArray();
  }

  /** A river's list of subscriptions, which readers of lists follow (OPML 2.0, "include"). */
  @Test
  void an_OPML_list_is_registered_like_a_feed_and_its_changes_are_told() {
    String list = opml("http://a.example/rss.xml");

    world.register(list, "list");
    opml("http://b.example/rss.xml");
    world.gateway().form("/ping", "url", list);

    assertThat(new String(world.delivery("list").body(), UTF_8))
        .isEqualTo(Http.encode("url", list));
    String page = world.origin().serve("page.html", "text/html", "<html><body>x</body></html>");
    assertThat(world.gateway().pleaseNotify(world.subscriber(), "page", page).body())
        .contains("success=\"false\"", "is neither a feed nor an OPML list");
  }

  private String opml(String feed) {
    return world
        .origin()
        .serve(
            "list.opml",
            "text/x-opml",
            "<?xml version=\"1.0\"?><opml version=\"2.0\"><head><title>t</title></head><body>"
                + "<outline type=\"rss\" text=\"a\" xmlUrl=\""
                + feed
                + "\"/></body></opml>");
  }

  @Test
  void changes_keep_the_feed_that_an_extended_ping_named() {
    String body =
        "<?xml version=\"1.0\"?><methodCall><methodName>weblogUpdates.extendedPing</methodName>"
            + "<params><param><value>Unknown</value></param>"
            + "<param><value>http://unknown.example/</value></param>"
            + "<param><value>http://unknown.example/2026/01</value></param>"
            + "<param><value>http://unknown.example/rss.xml</value></param></params></methodCall>";

    call("/RPC2", body);

    assertThat(world.gateway().get("/changes.xml").body())
        .contains(
            "<weblog name=\"Unknown\" url=\"http://unknown.example/\""
                + " rssUrl=\"http://unknown.example/rss.xml\"");
  }

  @Test
  void a_cloud_whose_protocol_stands_in_the_place_of_its_procedure_is_registered_at() {
    String cloud =
        "<cloud domain=\"127.0.0.1\" port=\"%d\" path=\"/pleaseNotify\""
            .formatted(world.cloud().port());
    String feed =
        world.origin().rss("misplaced.xml", cloud + " registerProcedure=\"http-post\"/>", "one");

    world.subscribe(feed, "misplaced");

    World.until(() -> world.cloud().registered(feed) == 1);
  }

  @Test
  void a_registration_by_a_call_that_cannot_be_understood_is_in_the_log_under_its_feed() {
    String list = "<array><data><value>http://named.example/feed</value></data></array>";
    String values =
        Stream.of("notify", "no port", "/path", "xml-rpc", list)
            .map(value -> "<param><value>%s</value></param>".formatted(value))
            .collect(Collectors.joining());
    call(
        "/RPC2",
        "<methodCall><methodName>rssCloud.pleaseNotify</methodName><params>%s</params></methodCall>"
            .formatted(values));

    assertThat(log("registration"))
        .contains("\"feed\":\"http://named.example/feed\",\"peer\":\"127.0.0.1\"", "refused: ");
  }

  @Test
  void requests_that_cannot_be_understood_are_in_the_log_with_their_caller() {
    world.gateway().form("/pleaseNotify", "port", "0");
    world.gateway().form("/ping", "url", "feed://x");
    call("/RPC2", "<methodCall><methodName>rssCloud.pleaseNotify</methodName></methodCall>");
    call("/RPC2", "<methodCall");
    world.gateway().get("/pingSiteForm?name=A");

    assertThat(log("registration"))
        .contains("refused: protocol is missing", "\"peer\":\"127.0.0.1\"");
    assertThat(log("ping"))
        .contains("refused: the feed 'feed://x' is not an absolute", "refused: No parameter");
    assertThat(log("call")).contains("refused: the message is not well-formed XML");
  }

  @Test
  void the_log_tells_who_pinged() {
    String feed = world.origin().rss("who.xml", "", "one");
    world.register(feed, "who");

    world.gateway().form("/ping", "url", feed);

    assertThat(log("ping&" + Http.encode("feed", feed)))
        .contains("\"peer\":\"127.0.0.1\"", "\"outcome\":\"ping: the feed will be fetched\"");

    world.publish(feed);

    assertThat(log("ping&" + Http.encode("feed", feed)))
        .contains("\"outcome\":\"WebSub publish: the feed will be fetched\"")
        .doesNotContain("\"peer\":\"\"");
  }

  private String log(String kind) {
    return world.gateway().get("/log?format=json&kind=" + kind).body();
  }
}
