package io.feedbridge.gateway.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.config.SettingsReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartWarningsTest {

  @TempDir Path data;

  private List<String> warnings(String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("--data=" + data);
    return StartWarnings.of(SettingsReader.of(all.toArray(String[]::new)));
  }

  @Test
  void a_gateway_that_needs_nothing_more_starts_without_a_warning() {
    assertThat(warnings("--allow-callback=127.0.0.0/8")).isEmpty();
    assertThat(
            warnings(
                "--public-url=https://hub.example.org",
                "--trust-proxy=127.0.0.0/8",
                "--admin-token=0123456789abcdef"))
        .isEmpty();
  }

  @Test
  void a_public_URL_without_a_token_or_without_TLS_is_told() {
    assertThat(warnings("--public-url=http://hub.example.org"))
        .hasSize(2)
        .anySatisfy(warning -> assertThat(warning).contains("--admin-token-file"))
        .anySatisfy(warning -> assertThat(warning).contains("no TLS"));
  }

  @Test
  void a_public_URL_with_https_at_another_port_is_told() {
    assertThat(
            warnings(
                "--public-url=https://hub.example.org:8443",
                "--trust-proxy=127.0.0.0/8",
                "--admin-token=0123456789abcdef"))
        .singleElement()
        .asString()
        .contains("8443", "port 443", "--public-url");
  }

  @Test
  void a_local_gateway_that_refuses_local_callbacks_says_so() {
    assertThat(warnings()).singleElement().asString().contains("--allow-callback 127.0.0.0/8");
  }

  @Test
  void a_proxy_that_is_not_trusted_is_told() {
    assertThat(
            warnings(
                "--listen=0.0.0.0:5337",
                "--public-url=https://hub.example.org",
                "--admin-token=0123456789abcdef"))
        .singleElement()
        .asString()
        .contains("--trust-proxy");
  }
}
