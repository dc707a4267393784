package io.feedbridge.rsscloud;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NotificationTest {

  private static final String CALLBACK = "https://reader.example/?rsscloud=notify";
  private static final String FEED = "http://ü.example/?a=b&c+d";

  private final Notification notification = new Notification(CALLBACK, FEED);

  private static Notification by(RpcProtocol rpc) {
    CloudProtocol protocol = rpc == RpcProtocol.SOAP ? CloudProtocol.SOAP : CloudProtocol.XML_RPC;
    return new Notification(CALLBACK, FEED, protocol, "river.feedUpdated");
  }

  @Test
  void its_form_has_the_feed_as_its_single_parameter_url() {
    String form = new String(notification.body(), UTF_8);
    assertThat(notification.contentType()).isEqualTo("application/x-www-form-urlencoded");
    assertThat(form).isEqualTo("url=http%3A%2F%2F%C3%BC.example%2F%3Fa%3Db%26c%2Bd");
    assertThat(Forms.decode(form)).isEqualTo(Map.of("url", List.of(FEED)));
    assertThat(notification.soapAction()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 202, 204, 299})
  void any_2xx_is_good_whatever_is_in_it(int status) {
    byte[] page = "<html>thanks</html>".getBytes(UTF_8);
    assertThat(notification.refusal(status, page, "text/html")).isEmpty();
    assertThat(by(RpcProtocol.XML_RPC).refusal(status, page, "text/html")).isEmpty();
    assertThat(by(RpcProtocol.SOAP).refusal(status, new byte[0], null)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {101, 301, 400, 404, 503})
  void any_other_status_is_an_error(int status) {
    assertThat(notification.refusal(status, new byte[0], null)).hasValue("HTTP " + status);
    assertThat(by(RpcProtocol.SOAP).refusal(status, new byte[0], null)).isPresent();
  }

  @Nested
  class By_a_procedure {

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void calls_what_was_registered_with_the_feed_as_its_single_parameter(RpcProtocol rpc)
        throws Exception {
      Notification call = by(rpc);

      assertThat(call.contentType()).isEqualTo("text/xml; charset=utf-8");
      RpcCall read = rpc.readCall(call.body(), call.contentType());
      assertThat(read.procedure()).isEqualTo("river.feedUpdated");
      assertThat(read.values()).containsExactly(new RpcValue.Text(FEED));
    }

    @Test
    void over_soap_is_an_unqualified_element_with_one_typed_child() {
      String body = new String(by(RpcProtocol.SOAP).body(), UTF_8);

      assertThat(body)
          .contains("<river.feedUpdated><url xsi:type=\"xsd:string\">")
          .contains("SOAP-ENV:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\"");
      assertThat(by(RpcProtocol.SOAP).soapAction()).hasValue("\"\"");
    }

    @Test
    void over_soap_is_in_the_namespace_that_the_registration_named() throws Exception {
      Notification call =
          new Notification(CALLBACK, FEED, CloudProtocol.SOAP, "feedUpdated", "urn:My&Handler");

      assertThat(new String(call.body(), UTF_8))
          .contains("<m:feedUpdated xmlns:m=\"urn:My&amp;Handler\"><url xsi:type=\"xsd:string\">");
      RpcCall read = RpcProtocol.SOAP.readCall(call.body(), call.contentType());
      assertThat(read.procedure()).isEqualTo("feedUpdated");
      assertThat(read.namespace()).isEqualTo("urn:My&Handler");
      assertThat(read.values()).containsExactly(new RpcValue.Text(FEED));
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void a_fault_is_an_error_whatever_its_status(RpcProtocol rpc) {
      byte[] fault = rpc.writeFault(RpcProtocol.Blame.SERVER, "not\nmine");
      assertThat(by(rpc).refusal(200, fault, null)).hasValue("HTTP 200, a fault: 'not?mine'");
      assertThat(by(rpc).refusal(500, fault, null)).hasValue("HTTP 500, a fault: 'not?mine'");
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void the_value_that_is_returned_is_ignored(RpcProtocol rpc) {
      RpcCall call = RpcCall.of("river.feedUpdated");
      byte[] no = rpc.writeAnswer(call, new RpcValue.Bool(false));
      assertThat(by(rpc).refusal(200, no, null)).isEmpty();
    }
  }

  @Nested
  class As_a_test_of_a_handler {

    private HandlerTest test(RpcProtocol rpc, boolean domainGiven) {
      Registration registration =
          new Registration(
              "river.feedUpdated", CALLBACK, domainGiven, by(rpc).protocol(), List.of(FEED));
      return HandlerTest.of(registration, FEED, "0123456789abcdefghij");
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void is_a_call_of_the_procedure_with_a_domain_and_without(RpcProtocol rpc) {
      for (boolean domainGiven : List.of(true, false)) {
        HandlerTest test = test(rpc, domainGiven);
        assertThat(test.method()).isEqualTo("POST");
        assertThat(test.url()).isEqualTo(CALLBACK);
        assertThat(test.body()).isEqualTo(by(rpc).body());
        assertThat(test.contentType()).hasValue("text/xml; charset=utf-8");
        assertThat(test.soapAction()).isEqualTo(by(rpc).soapAction());
        assertThat(test.failure(200, rpc.writeAnswer(RpcCall.of("x"), new RpcValue.Nil()), null))
            .isEmpty();
      }
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void fails_by_a_fault(RpcProtocol rpc) {
      byte[] fault = rpc.writeFault(RpcProtocol.Blame.CLIENT, "no such procedure");
      assertThat(test(rpc, true).failure(rpc.faultStatus(), fault, null)).isPresent();
      assertThat(test(rpc, false).failure(rpc.faultStatus(), fault, null)).isPresent();
    }

    @ParameterizedTest
    @EnumSource(RpcProtocol.class)
    void with_a_domain_is_not_passed_by_a_server_that_answers_200_to_anything(RpcProtocol rpc) {
      byte[] page = "<html>hello</html>".getBytes(UTF_8);
      assertThat(test(rpc, true).failure(200, page, "text/html")).isPresent();
      assertThat(test(rpc, false).failure(200, page, "text/html")).isEmpty();
    }
  }
}
