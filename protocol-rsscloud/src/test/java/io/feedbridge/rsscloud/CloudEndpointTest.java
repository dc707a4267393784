package io.feedbridge.rsscloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CloudEndpointTest {

  private static Optional<CloudElement> parse(
      String domain, String port, String path, String protocol) {
    return CloudElement.parse(domain, port, path, "", protocol);
  }

  @Nested
  class Cloud {

    @Test
    void its_five_attributes_say_where_and_how_to_register() {
      assertThat(
              CloudElement.parse(
                  "radio.example", "80", "/RPC2", "xmlStorageSystem.rssPleaseNotify", "xml-rpc"))
          .contains(
              new CloudElement(
                  "radio.example",
                  80,
                  "/RPC2",
                  "xmlStorageSystem.rssPleaseNotify",
                  CloudProtocol.XML_RPC));
    }

    @Test
    void a_protocol_in_the_place_of_the_procedure_counts_where_there_is_no_protocol() {
      CloudElement byForm =
          new CloudElement("rpc.example", 5337, "/p", "", CloudProtocol.HTTP_POST);
      assertThat(CloudElement.parse("rpc.example", "5337", "/p", "http-post", null))
          .contains(byForm);
      assertThat(CloudElement.parse("rpc.example", "5337", "/p", " http-post ", ""))
          .contains(byForm);
      assertThat(CloudElement.parse("rpc.example", "5337", "/p", "pleaseNotify", null)).isEmpty();
      assertThat(CloudElement.parse("rpc.example", "5337", "/p", "soap", "xml-rpc"))
          .map(CloudElement::protocol)
          .contains(CloudProtocol.XML_RPC);
    }

    @ParameterizedTest
    @CsvSource({
      "rpc.example, 5337, /rsscloud/pleaseNotify, http-post,"
          + " http://rpc.example:5337/rsscloud/pleaseNotify",
      "rpc.example, 80, /pleaseNotify, http-post, http://rpc.example/pleaseNotify",
      "rpc.example, 443, /pleaseNotify, http-post, https://rpc.example/pleaseNotify",
      "rpc.example, 443, /RPC2, xml-rpc, https://rpc.example/RPC2",
      "rpc.example, 5338, /pleaseNotify, https-post, https://rpc.example:5338/pleaseNotify",
      "rpc.example, 5337, pleaseNotify, http-post, http://rpc.example:5337/pleaseNotify",
      "blog.example, 80, /?rsscloud=notify, http-post, http://blog.example/?rsscloud=notify",
      "blog.example, 80, ?rsscloud=notify, http-post, http://blog.example/?rsscloud=notify",
      "198.51.100.4, 5337, /p, http-post, http://198.51.100.4:5337/p",
      "2001:db8::1, 5337, /p, http-post, http://[2001:db8::1]:5337/p",
      "' RPC.Example ', ' 5337 ', ' /p ', ' http-post ', http://rpc.example:5337/p",
      "rpc.example, 5337, , http-post, http://rpc.example:5337/",
      "rpc.example, 5337, @other.example/, http-post, http://rpc.example:5337/@other.example/",
    })
    void its_registration_url(
        String domain, String port, String path, String protocol, String expected) {
      assertThat(parse(domain, port, path, protocol).orElseThrow().registrationUrl())
          .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
      "http-post, '', true",
      "https-post, '', true",
      "xml-rpc, '', false",
      "xml-rpc, xmlStorageSystem.rssPleaseNotify, true",
      "xml-rpc, <b/>, false",
      "soap, '', false",
      "soap, xmlStorageSystem.rssPleaseNotify, true",
      "soap, a b, false",
    })
    void one_with_a_procedure_needs_a_name_for_it(
        String protocol, String procedure, boolean registrable) {
      CloudElement cloud =
          CloudElement.parse("a.example", "80", "/", procedure, protocol).orElseThrow();
      assertThat(cloud.isRegistrable()).isEqualTo(registrable);
      assertThat(cloud.protocol().wireName()).isEqualTo(protocol);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "eighty", "0", "-80", "65536", "80.5", "99999999999999999999"})
    void a_port_that_is_none_makes_it_absent(String port) {
      assertThat(parse("a.example", port, "/", "http-post")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP-POST", "rest", "xmlrpc"})
    void a_protocol_that_is_none_makes_it_absent(String protocol) {
      assertThat(parse("a.example", "80", "/", protocol)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          "a.example/x",
          "user@a.example",
          "a.example:90",
          "http://a.example",
          "a.example?x",
          "a.example#x",
          "a.example\\x",
          "a b",
          "0x7f.1"
        })
    void a_domain_that_smuggles_more_than_a_host_is_refused(String domain) {
      assertThat(parse(domain, "80", "/", "http-post")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a b", "/a\r\nX: y", "/a#b", "/%zz", "/é"})
    void a_path_that_cannot_be_requested_makes_it_absent(String path) {
      assertThat(parse("a.example", "80", path, "http-post")).isEmpty();
    }

    @Test
    void missing_attributes_make_it_absent_but_for_path_and_procedure() {
      assertThat(CloudElement.parse(null, "80", "/", "", "http-post")).isEmpty();
      assertThat(CloudElement.parse("a.example", null, "/", "", "http-post")).isEmpty();
      assertThat(CloudElement.parse("a.example", "80", "/", "", null)).isEmpty();
      assertThat(CloudElement.parse("a.example", "80", null, null, "http-post"))
          .contains(new CloudElement("a.example", 80, "/", "", CloudProtocol.HTTP_POST));
    }

    @Test
    void made_of_parts_that_are_no_url_is_a_mistake_of_the_caller() {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new CloudElement("a/b@c", 80, "/", "", CloudProtocol.SOAP));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new CloudElement("a.example", 0, "/", "", CloudProtocol.SOAP));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new CloudElement("a.example", 80, "x", "", CloudProtocol.SOAP));
    }
  }

  @Nested
  class Source_cloud {

    @ParameterizedTest
    @CsvSource({
      "https://rpc.example/pleaseNotify, HTTPS_POST",
      "HTTP://rpc.example:5337/pleaseNotify?a=b, HTTP_POST",
    })
    void is_a_full_url_to_post_to(String url, CloudProtocol protocol) {
      SourceCloud cloud = SourceCloud.parse("\n  " + url + "  ").orElseThrow();
      assertThat(cloud.registrationUrl()).isEqualTo(url);
      assertThat(cloud.protocol()).isEqualTo(protocol);
      assertThat(cloud.isRegistrable()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"", " ", "rpc.example", "/p", "ftp://a.example/", "http://u@a.example/"})
    void that_is_no_web_url_is_absent(String text) {
      assertThat(SourceCloud.parse(text)).isEmpty();
    }

    @Test
    void made_of_no_url_is_a_mistake_of_the_caller() {
      assertThatIllegalArgumentException().isThrownBy(() -> new SourceCloud("x"));
    }
  }
}
