package io.feedbridge.gateway.client.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.feedbridge.gateway.client.address.CallException.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "http://example.com example.com 80 example.com /",
        "http://example.com/ example.com 80 example.com /",
        "http://example.com?q example.com 80 example.com /?q",
        "HTTP://Example.COM:80/A example.com 80 example.com /A",
        "http://example.com./a example.com 80 example.com /a",
        "http://example.com:/a example.com 80 example.com /a",
        "http://example.com:0080/a example.com 80 example.com /a",
        "http://ｅxample。com/a example.com 80 example.com /a",
        "https://example.com:443/a example.com 443 example.com /a",
        "https://example.com:80/a example.com 80 example.com:80 /a",
        "http://example.com:8080/a?b=c#d example.com 8080 example.com:8080 /a?b=c",
        "http://example.com/%7e/./a/../b//c;d=e?x=%41&&y=[]|^`{} example.com 80 example.com"
            + " /%7e/./a/../b//c;d=e?x=%41&&y=[]|^`{}",
        "http://example.com/é?ü=😀 example.com 80 example.com /%C3%A9?%C3%BC=%F0%9F%98%80",
        "http://bücher.example/ xn--bcher-kva.example 80 xn--bcher-kva.example /",
        "http://a_b.example/ a_b.example 80 a_b.example /",
        "http://intranet/ intranet 80 intranet /",
        "http://8.8.4.4:99/ 8.8.4.4 99 8.8.4.4:99 /",
        "http://[2606:4700::1111]/ 2606:4700::1111 80 [2606:4700::1111] /",
        "https://[2606:4700::ABCD]:8443/x 2606:4700::abcd 8443 [2606:4700::abcd]:8443 /x",
        "http://example.com/http://x@y:z/ example.com 80 example.com /http://x@y:z/"
      })
  void path_and_query_go_out_as_they_are(
      String url, String host, int port, String hostHeader, String requestTarget)
      throws CallException {
    Target target = Target.parse(url);

    assertThat(target.url()).isEqualTo(url);
    assertThat(target.origin()).isEqualTo(new Origin(url.startsWith("https"), host, port));
    assertThat(target.hostHeader()).isEqualTo(hostHeader);
    assertThat(target.requestTarget()).isEqualTo(requestTarget);
  }

  @Test
  void a_space_in_the_path_is_encoded_since_HTTP_has_no_other_way() throws CallException {
    assertThat(Target.parse("http://example.com/a b").requestTarget()).isEqualTo("/a%20b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "example.com",
        "/path",
        "//example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "gopher://example.com/",
        "http:/example.com/",
        "http:example.com",
        "http://",
        "http:///path",
        "http://?q",
        "http://:80/",
        " http://example.com/",
        "http://example.com/ ",
        "http://example.com/\r\nX: y",
        "http://example.com/\u0000",
        "http://example.com/\u007f",
        "http://example.com/\u0085",
        "http://example.com\t/",
        "http://example.com/\ud800",
        "http://example.com/\udc00x",
        "http://user@example.com/",
        "http://user:password@example.com/",
        "http://@example.com/",
        "http://good.example\\@evil.example/",
        "http://good.example\\.evil.example/",
        "http://exa mple.com/",
        "http://.example.com/",
        "http://a..b/",
        "http://exam%70le.com/",
        "http://example.com:0/",
        "http://example.com:65536/",
        "http://example.com:8o/",
        "http://example.com:80:80/",
        "http://example.com:-1/",
        "http://example.com:+80/",
        "http://example.com:٨٠/",
        "http://[::1/",
        "http://[]/",
        "http://[::1]x/",
        "http://[::1]x:80/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://::1/",
        "http://[127.0.0.1]/",
        "http://exa<mple>.com/",
        "http://exa!mple.com/",
        "http://[v1.x]/"
      })
  void what_two_readers_could_read_differently_is_a_bad_URL(String url) {
    assertThatExceptionOfType(CallException.class)
        .isThrownBy(() -> Target.parse(url))
        .satisfies(e -> assertThat(e.failure()).isEqualTo(Failure.BAD_URL));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "127.1",
        "127.0.1",
        "0177.0.0.1",
        "127.0.0.01",
        "127.0.0.1.1",
        "1.2.3.256",
        "0x7f.0.0.1",
        "127.0.0.0x1",
        "017700000001",
        "0",
        "0x",
        "1.2.3.4.",
        "foo.1",
        "foo.0x1f",
        "１２７.0.0.1",
        "127。0。0。1",
        "①.0.0.1",
        "[0:0:0:0:0:0:0:1]",
        "[::0001]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[1:0:0:2::3:4:5]"
      })
  void an_IP_address_in_any_but_its_canonical_spelling_is_a_bad_URL(String host) {
    assertThatExceptionOfType(CallException.class)
        .isThrownBy(() -> Target.parse("http://" + host + "/"))
        .satisfies(e -> assertThat(e.failure()).isEqualTo(Failure.BAD_URL));
  }

  @Test
  void a_URL_is_at_most_8192_characters() throws CallException {
    String longest = "http://example.com/" + "a".repeat(Target.MAX_URL - 19);

    assertThat(Target.parse(longest).requestTarget()).hasSize(Target.MAX_URL - 18);
    assertThatExceptionOfType(CallException.class).isThrownBy(() -> Target.parse(longest + "a"));
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 300})
  void a_name_longer_than_DNS_allows_is_a_bad_URL(int length) {
    assertThatExceptionOfType(CallException.class)
        .isThrownBy(() -> Target.parse("http://" + "a".repeat(length) + ".example/"));
  }
}
