package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** SOAP 1.1 as clients of all ages send it. */
class SoapTest {

  private static final RpcProtocol RPC = RpcProtocol.SOAP;
  private static final String CALLER = "192.0.2.7";
  private static final Registration EXPECTED =
      new Registration(
          "rssUpdate",
          "http://192.0.2.7:8080/notify",
          false,
          CloudProtocol.SOAP,
          List.of("http://a.example/rss.xml", "http://b.example/rss.xml"));

  private static RpcCall read(String envelope) throws BadRpcException {
    return RPC.readCall(envelope.getBytes(UTF_8), "text/xml; charset=utf-8");
  }

  private static String envelope(String body) {
    return "<?xml version=\"1.0\"?><s:Envelope"
        + " xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\""
        + " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
        + " xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\""
        + " xmlns:e=\"http://schemas.xmlsoap.org/soap/encoding/\"><s:Body>"
        + body
        + "</s:Body></s:Envelope>";
  }

  private static void assertBad(String reason, String envelope) {
    assertThatExceptionOfType(BadRpcException.class)
        .isThrownBy(() -> read(envelope))
        .withMessageContaining(reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // rpc/encoded with types, as UserLand's own
        "<pleaseNotify><notifyProcedure xsi:type=\"xsd:string\">rssUpdate</notifyProcedure>"
            + "<port xsi:type=\"xsd:int\">8080</port><path xsi:type=\"xsd:string\">/notify</path>"
            + "<protocol xsi:type=\"xsd:string\">soap</protocol>"
            + "<urlList xsi:type=\"e:Array\" e:arrayType=\"xsd:string[2]\">"
            + "<item xsi:type=\"xsd:string\">http://a.example/rss.xml</item>"
            + "<item xsi:type=\"xsd:string\">http://b.example/rss.xml</item></urlList>"
            + "</pleaseNotify>",
        // a qualified operation, its arguments too, no types, plain items
        "<m:rssPleaseNotify xmlns:m=\"http://www.soapware.org/\"><m:notifyProcedure>rssUpdate"
            + "</m:notifyProcedure><m:port>8080</m:port><m:path>/notify</m:path><m:protocol>soap"
            + "</m:protocol><m:urlList><m:item>http://a.example/rss.xml</m:item>"
            + "<m:item>http://b.example/rss.xml</m:item></m:urlList></m:rssPleaseNotify>",
        // a default namespace, another order, since they have names
        "<rssCloud.pleaseNotify"
            + " xmlns=\"http://a.example/\"><urlList><string>http://a.example/rss.xml"
            + "</string><string>http://b.example/rss.xml</string></urlList><protocol>soap</protocol>"
            + "<path>/notify</path><port>8080</port><notifyProcedure>rssUpdate</notifyProcedure>"
            + "</rssCloud.pleaseNotify>",
        // names that say nothing, so that the places count
        "<pleaseNotify><arg0>rssUpdate</arg0><arg1>8080</arg1><arg2>/notify</arg2><arg3>soap</arg3>"
            + "<arg4><item>http://a.example/rss.xml</item><item>http://b.example/rss.xml</item></arg4>"
            + "</pleaseNotify>",
        // a list as a row of arguments of the same name
        "<pleaseNotify><notifyProcedure>rssUpdate</notifyProcedure><port>8080</port>"
            + "<path>/notify</path><protocol>soap</protocol><urlList>http://a.example/rss.xml</urlList>"
            + "<urlList>http://b.example/rss.xml</urlList></pleaseNotify>",
        // parts that stand elsewhere
        "<pleaseNotify><a href=\"#id0\"/><b>8080</b><c>/notify</c><d>soap</d><e href=\"#id1\"/>"
            + "</pleaseNotify><multiRef id=\"id0\" e:root=\"0\">rssUpdate</multiRef>"
            + "<multiRef id=\"id1\" e:root=\"0\" xsi:type=\"e:Array\">"
            + "<x>http://a.example/rss.xml</x><y>http://b.example/rss.xml</y></multiRef>",
      })
  void local_names_count_then_places_and_neither_namespaces_nor_types(String operation)
      throws Exception {
    Registration read = registration(operation);

    assertThat(
            new Registration(
                read.notifyProcedure(),
                read.callback(),
                read.domainGiven(),
                read.protocol(),
                read.urls()))
        .isEqualTo(EXPECTED);
  }

  private static Registration registration(String operation) throws Exception {
    CloudCall call = CloudCall.parse(read(envelope(operation)), CALLER);
    assertThat(call).isInstanceOf(CloudCall.PleaseNotify.class);
    return ((CloudCall.PleaseNotify) call).registration();
  }

  @ParameterizedTest
  @CsvSource({
    "soap, urn:Mine, rssUpdate, urn:Mine, rssUpdate",
    "soap, '', rssUpdate, '', rssUpdate",
    "soap, urn:Mine, urn:Other#rssUpdate, urn:Other, rssUpdate",
    "soap, '', http://h/A#b#rssUpdate, http://h/A#b, rssUpdate",
    "soap, urn:Mine, #rssUpdate, '', rssUpdate",
    "xml-rpc, urn:Mine, rssUpdate, '', rssUpdate",
    "http-post, urn:Mine, urn:Other#rssUpdate, '', urn:Other#rssUpdate",
  })
  void a_registration_names_the_namespace_of_its_notifications(
      String protocol, String used, String procedure, String namespace, String name)
      throws Exception {
    Registration read =
        registration(
            "<pleaseNotify xmlns=\"%s\"><a>%s</a><b>80</b><c>/n</c><d>%s</d><e>http://a.example/</e></pleaseNotify>"
                .formatted(used, procedure, protocol));

    assertThat(read.namespace()).isEqualTo(namespace);
    assertThat(read.notifyProcedure()).isEqualTo(name);
  }

  @Test
  void a_namespace_too_long_to_be_kept_counts_as_none() throws Exception {
    String operation =
        "<pleaseNotify"
            + " xmlns=\"urn:%s\"><a>p</a><b>80</b><c>/n</c><d>soap</d><e>http://a.example/</e></pleaseNotify>";

    assertThat(registration(operation.formatted("x".repeat(300))).namespace()).isEmpty();
  }

  @Test
  void a_call_may_have_no_arguments() throws Exception {
    assertThat(CloudCall.parse(read(envelope("<hello/>")), CALLER))
        .isEqualTo(new CloudCall.Hello());
  }

  @Test
  void the_answer_is_an_opResponse_with_a_typed_Result() {
    byte[] answer = RPC.writeAnswer(RpcCall.of("rssPleaseNotify"), new RpcValue.Bool(true));
    assertThat(new String(answer, UTF_8))
        .contains(
            "<SOAP-ENV:Body><rssPleaseNotifyResponse><Result xsi:type=\"xsd:boolean\">true</Result>"
                + "</rssPleaseNotifyResponse></SOAP-ENV:Body>");
  }

  @Test
  void a_fault_says_whose_it_is() {
    assertThat(RPC.faultStatus()).isEqualTo(500);
    assertThat(new String(RPC.writeFault(RpcProtocol.Blame.CLIENT, "no"), UTF_8))
        .contains(
            "<SOAP-ENV:Fault><faultcode>SOAP-ENV:Client</faultcode><faultstring>no</faultstring>");
    assertThat(new String(RPC.writeFault(RpcProtocol.Blame.SERVER, "no"), UTF_8))
        .contains("<faultcode>SOAP-ENV:Server</faultcode>");
    assertThat(new String(RPC.writeFault(RpcProtocol.Blame.MUST_UNDERSTAND, "no"), UTF_8))
        .contains("<faultcode>SOAP-ENV:MustUnderstand</faultcode>");
  }

  @Test
  void what_is_none_is_refused_with_the_reason() {
    assertBad("not a SOAP Envelope", "<html/>");
    assertBad("there is no Body", "<Envelope/>");
    assertBad("the SOAP Body is empty", envelope(""));
    assertBad("nothing in the message is '#x'", envelope("<ping><url href=\"#x\"/></ping>"));
    assertBad("nothing in the message is 'x'", envelope("<ping><url href=\"x\"/></ping>"));
  }

  @Test
  void a_header_that_must_be_understood_is_not() {
    String body =
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Header><transaction"
            + " s:mustUnderstand=\"1\"/></s:Header><s:Body><hello/></s:Body></s:Envelope>";
    assertBad("the header 'transaction' is not understood", body);
    assertThatExceptionOfType(BadRpcException.class)
        .isThrownBy(() -> read(body))
        .satisfies(bad -> assertThat(bad.blame()).isEqualTo(RpcProtocol.Blame.MUST_UNDERSTAND));
  }

  @Test
  void a_body_with_a_dtd_is_refused() {
    String body = envelope("<a/>").replace("?>", "?><!DOCTYPE x SYSTEM \"file:///x\">");
    assertBad("document type declaration", body);
    assertThat(RpcProtocol.of(body.getBytes(UTF_8), RpcProtocol.XML_RPC))
        .isEqualTo(RpcProtocol.SOAP);
  }

  @Test
  void references_in_circles_are_refused() {
    assertBad(
        "refers in circles",
        envelope(
            "<ping><url href=\"#a\"/></ping><r id=\"a\" href=\"#b\"/><r id=\"b\" href=\"#a\"/>"));
  }

  @Test
  void references_that_make_very_many_values_are_refused() {
    StringBuilder laughs = new StringBuilder("<ping><url href=\"#a0\"/></ping>");
    for (int i = 0; i < 12; i++) {
      laughs.append("<r id=\"a").append(i).append("\">");
      laughs.append(("<i href=\"#a" + (i + 1) + "\"/>").repeat(10)).append("</r>");
    }
    assertBad("too many values", envelope(laughs + "<r id=\"a12\">ha</r>"));
  }

  @Test
  void malformed_documents_are_calls_or_are_refused() {
    Random random = new Random(12);
    byte[] good =
        RPC.writeCall(
            RpcCall.of(
                "rssCloud.pleaseNotify",
                new RpcValue.Text("notify"),
                RpcValue.Items.ofTexts(List.of("http://a.example/", "http://b.example/"))));
    int refused = 0;
    for (int i = 0; i < 5_000; i++) {
      byte[] damaged = good.clone();
      for (int hits = random.nextInt(4); hits >= 0; hits--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(RPC.readCall(damaged, null).procedure()).isNotBlank();
      } catch (BadRpcException e) {
        assertThat(e.getMessage()).isNotBlank();
        refused++;
      }
    }
    assertThat(refused).isBetween(1, 4_999);
  }
}
