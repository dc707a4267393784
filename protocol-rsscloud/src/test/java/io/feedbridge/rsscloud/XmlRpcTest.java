package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** XML-RPC as it is sent in the wild. */
class XmlRpcTest {

  private static final RpcProtocol RPC = RpcProtocol.XML_RPC;

  private static RpcCall read(String body) throws BadRpcException {
    return RPC.readCall(body.getBytes(UTF_8), null);
  }

  private static RpcValue value(String inner) throws BadRpcException {
    return read(call("<param><value>" + inner + "</value></param>")).values().get(0);
  }

  private static String call(String params) {
    return "<?xml version=\"1.0\"?><methodCall><methodName>a.b</methodName><params>"
        + params
        + "</params></methodCall>";
  }

  private static void assertBad(String reason, String body) {
    assertThatExceptionOfType(BadRpcException.class)
        .isThrownBy(() -> read(body))
        .withMessageContaining(reason);
  }

  @Nested
  class A_value {

    @Test
    void without_a_type_is_a_string() throws Exception {
      assertThat(value("http://a.example/")).isEqualTo(new RpcValue.Text("http://a.example/"));
      assertThat(value(" a &amp; b ")).isEqualTo(new RpcValue.Text(" a & b "));
      assertThat(value("")).isEqualTo(new RpcValue.Text(""));
    }

    @Test
    void may_stand_between_white_space() throws Exception {
      assertThat(value("\n  <string> a </string>\n")).isEqualTo(new RpcValue.Text(" a "));
      assertThat(value("\n  <i4>\n 80 </i4>\n")).isEqualTo(new RpcValue.Int(80));
    }

    @ParameterizedTest
    @CsvSource({"i4, -80, -80", "int, +80, 80", "i8, 9007199254740993, 9007199254740993"})
    void of_whole_numbers(String type, String text, long number) throws Exception {
      assertThat(value("<" + type + ">" + text + "</" + type + ">"))
          .isEqualTo(new RpcValue.Int(number));
    }

    @ParameterizedTest
    @CsvSource({"1, true", "0, false", "true, true", "false, false"})
    void boolean_is_0_or_1_or_a_word(String text, boolean truth) throws Exception {
      assertThat(value("<boolean>" + text + "</boolean>")).isEqualTo(new RpcValue.Bool(truth));
    }

    @Test
    void of_the_other_types() throws Exception {
      assertThat(value("<double>-1.50</double>")).isEqualTo(new RpcValue.Real(-1.5));
      assertThat(value("<dateTime.iso8601>20010930T20:02:30</dateTime.iso8601>"))
          .isEqualTo(new RpcValue.Time("20010930T20:02:30"));
      assertThat(value("<base64>\n aGV s\r\nbG8=\n</base64>").asText()).hasValue("hello");
      assertThat(value("<ex:nil xmlns:ex=\"http://ws.apache.org/xmlrpc/namespaces/extensions\"/>"))
          .isEqualTo(new RpcValue.Nil());
    }

    @Test
    void array_holds_values_of_any_type() throws Exception {
      assertThat(
              value(
                  "<array><data><value>a</value> <value><i4>1</i4></value>"
                      + "<value><array><data/></array></value></data></array>"))
          .isEqualTo(
              new RpcValue.Items(
                  List.of(
                      new RpcValue.Text("a"), new RpcValue.Int(1), new RpcValue.Items(List.of()))));
    }

    @Test
    void struct_holds_named_values() throws Exception {
      assertThat(
              value(
                  "<struct><member><name>a</name><value>1</value></member>"
                      + "<member><value><i4>2</i4></value><name>b</name></member></struct>"))
          .isEqualTo(
              new RpcValue.Fields(Map.of("a", new RpcValue.Text("1"), "b", new RpcValue.Int(2))));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<i4>eighty</i4>",
          "<i4/>",
          "<i4>99999999999999999999</i4>",
          "<i4>٨٠</i4>",
          "<boolean>yes</boolean>",
          "<double>NaN</double>",
          "<double>1e999</double>",
          "<double>0x1p3</double>",
          "<base64>a</base64>",
          "<url>a</url>",
          "<struct><member><name>a</name></member></struct>",
          "<array><data><i4>1</i4></data></array>"
        })
    void that_is_none_is_refused(String inner) {
      assertThatExceptionOfType(BadRpcException.class).isThrownBy(() -> value(inner));
    }
  }

  @Nested
  class A_call {

    @ParameterizedTest
    @ValueSource(
        strings = {
          "<methodCall><methodName>a.b</methodName></methodCall>",
          "<methodCall><methodName>a.b</methodName><params/></methodCall>",
          "\r\n <?xml version='1.0'?><methodCall>\n<methodName>\na.b </methodName><params> </params>"
              + "</methodCall>\n",
        })
    void may_have_no_parameters(String body) throws Exception {
      assertThat(read(body)).isEqualTo(RpcCall.of("a.b"));
    }

    @Test
    void in_another_charset_is_read_by_its_prolog() throws Exception {
      String body =
          "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>"
              + call("<param><value>Müller</value></param>").substring(21);
      for (String contentType : new String[] {null, "text/xml", "text/xml; charset=us-ascii"}) {
        assertThat(RPC.readCall(body.getBytes(ISO_8859_1), contentType).texts())
            .containsExactly("Müller");
      }
    }

    @Test
    void is_read_by_the_charset_of_its_header_and_first_by_its_byte_order_mark() throws Exception {
      String body = call("<param><value>Müller</value></param>");
      assertThat(RPC.readCall(body.getBytes(ISO_8859_1), "text/xml;charset=\"latin1\"").texts())
          .containsExactly("Müller");
      assertThat(RPC.readCall(body.getBytes(UTF_16), "text/xml; charset=utf-8").texts())
          .containsExactly("Müller");
      assertThat(RPC.readCall(("\ufeff" + body).getBytes(UTF_8), "a/b; charset=none").texts())
          .containsExactly("Müller");
    }

    @Test
    void that_is_none_is_refused_with_the_reason() {
      assertBad("the message is empty", " \n");
      assertBad("not well-formed XML: line 1, column", "hello");
      assertBad("not well-formed XML", "<methodCall>");
      assertBad("not a methodCall", "<methodResponse/>");
      assertBad("there is no methodName", "<methodCall/>");
      assertBad("the methodName is empty", "<methodCall><methodName> </methodName></methodCall>");
      assertBad("there is no value in 'param'", call("<param/>"));
      assertBad("an entity that is not XML's own", call("<param><value>&nbsp;</value></param>"));
    }

    @Test
    void with_a_dtd_is_refused() {
      assertBad(
          "document type declaration",
          "<!DOCTYPE methodCall [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
              + "<methodCall><methodName>&x;</methodName></methodCall>");
    }

    @Test
    void with_a_struct_10_000_deep_is_refused() {
      String open = "<struct><member><name>a</name><value>";
      String close = "</value></member></struct>";
      assertBad(
          "nested deeper",
          call("<param><value>" + open.repeat(10_000) + close.repeat(10_000) + "</value></param>"));
    }

    @Test
    void with_too_many_elements_is_refused() {
      assertBad("more than 10000 elements", call("<param><value/></param>".repeat(6_000)));
    }

    @Test
    void with_too_many_namespaces_is_refused() {
      StringBuilder many = new StringBuilder("<param");
      for (int i = 0; i < 99; i++) {
        many.append(" xmlns:n").append(i).append("=\"n\"");
      }
      assertBad("namespaces", call((many + ">").repeat(3) + "</param>".repeat(3)));
    }

    @Test
    void that_is_too_long_is_refused() {
      assertBad("longer than", " ".repeat(RpcProtocol.MAX_BYTES + 1));
    }
  }

  @Nested
  class An_answer {

    private RpcAnswer answer(String body) throws BadRpcException {
      return RPC.readAnswer(body.getBytes(UTF_8), null);
    }

    @Test
    void may_bring_nothing() throws Exception {
      assertThat(answer("<methodResponse><params/></methodResponse>"))
          .isEqualTo(new RpcAnswer.Result(new RpcValue.Nil()));
    }

    @Test
    void may_be_a_fault() throws Exception {
      assertThat(
              answer(
                  "<methodResponse><fault><value><struct><member><name>faultCode</name>"
                      + "<value><int>4</int></value></member><member><name>faultString</name>"
                      + "<value>Too many</value></member></struct></value></fault></methodResponse>"))
          .isEqualTo(new RpcAnswer.Fault("4", "Too many"));
    }
  }

  /** Documents with some bytes changed end in a call, or in the exception with its sentence. */
  @Test
  void malformed_documents_are_calls_or_are_refused() {
    Random random = new Random(11);
    byte[] good =
        RPC.writeCall(
            RpcCall.of(
                "rssCloud.pleaseNotify",
                new RpcValue.Text("notify"),
                new RpcValue.Int(80),
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
