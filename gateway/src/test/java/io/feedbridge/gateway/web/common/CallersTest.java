package io.feedbridge.gateway.web.common;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.Networks;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The caller's address behind proxies that are trusted, and behind others. */
class CallersTest {

  private final Callers callers =
      new Callers(Networks.of(List.of("10.0.0.0/8", "2001:db8:1::/48")));

  private String address(String peer, String... headers) {
    return callers.address(
        new Request(
            "POST",
            "/pleaseNotify",
            "",
            Map.of(),
            Headers.of(headers),
            new byte[0],
            new InetSocketAddress(peer, 4711),
            Map.of()));
  }

  @ParameterizedTest
  @CsvSource({
    // Not from a proxy that is trusted: whoever wrote the header may be anyone.
    "192.0.2.1, 198.51.100.7, 192.0.2.1",
    // Behind one, the last address is what it saw itself.
    "10.0.0.1, 198.51.100.7, 198.51.100.7",
    "10.0.0.1, '203.0.113.9, 198.51.100.7', 198.51.100.7",
    "10.0.0.1, '203.0.113.9,198.51.100.7 , 10.1.1.1', 198.51.100.7",
    "10.0.0.1, '10.2.2.2, 10.1.1.1', 10.2.2.2",
    "10.0.0.1, 198.51.100.7:5678, 198.51.100.7",
    "2001:db8:1:0:0:0:0:5, '[2001:db8:2::7]:80', 2001:db8:2:0:0:0:0:7",
    "10.0.0.1, 2001:db8:2::7, 2001:db8:2:0:0:0:0:7",
    // What is no address is not looked up, and nothing before it counts.
    "10.0.0.1, '198.51.100.7, unknown', 10.0.0.1",
    "10.0.0.1, '198.51.100.7, localhost, 10.1.1.1', 10.1.1.1",
    "10.0.0.1, 'fe80::1%lo', 10.0.0.1",
    "10.0.0.1, '', 10.0.0.1",
  })
  void only_what_a_trusted_proxy_added_counts(String peer, String header, String expected) {
    assertThat(address(peer, "X-Forwarded-For", header)).isEqualTo(expected);
  }

  @Test
  void without_the_header_it_is_the_proxy_itself() {
    assertThat(address("10.0.0.1")).isEqualTo("10.0.0.1");
  }
}
