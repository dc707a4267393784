package io.feedbridge.gateway.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.TestGateway;
import io.feedbridge.gateway.web.ProtocolPaths;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {

  @TempDir private Path folder;

  private static HttpResponse<String> health(TestGateway gateway, Certificate trusted)
      throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(trusted.client()).build();
    return client.send(
        HttpRequest.newBuilder(URI.create(gateway.url("/health"))).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void a_gateway_with_a_certificate_is_known_by_https_and_takes_the_next_one() throws Exception {
    Certificate first = Certificate.of(Files.createDirectory(folder.resolve("1")), "ip:127.0.0.1");
    Path certificate = Files.writeString(folder.resolve("cert.pem"), first.certificatePem());
    Path key = Files.writeString(folder.resolve("key.pem"), first.keyPem());
    Settings.Protection tls =
        new Settings.Protection(
            Optional.empty(), Optional.of(new Settings.Tls(certificate, key, false)), 100);
    try (TestGateway gateway = TestGateway.protectedBy(folder.resolve("data"), tls)) {
      assertThat(gateway.url("/")).startsWith("https://127.0.0.1:");
      assertThat(health(gateway, first).statusCode()).isEqualTo(200);
      assertThat(plain(gateway, "/pleaseNotify?a=b"))
          .as("a client that calls every port by http is led to https, with its method and body")
          .satisfies(
              answer -> {
                assertThat(answer.statusCode()).isEqualTo(308);
                assertThat(answer.headers().firstValue("Location"))
                    .hasValue(gateway.url("/pleaseNotify?a=b"));
              });

      Certificate next = Certificate.of(Files.createDirectory(folder.resolve("2")), "ip:127.0.0.1");
      Files.writeString(certificate, next.certificatePem());
      Files.writeString(key, next.keyPem());

      await().ignoreExceptions().until(() -> health(gateway, next).statusCode() == 200);
    }
  }

  @Test
  void a_gateway_told_so_serves_rsscloud_alone_without_tls_beside_https() throws Exception {
    Certificate own = Certificate.of(Files.createDirectory(folder.resolve("1")), "ip:127.0.0.1");
    Path certificate = Files.writeString(folder.resolve("cert.pem"), own.certificatePem());
    Path key = Files.writeString(folder.resolve("key.pem"), own.keyPem());
    Settings.Protection tls =
        new Settings.Protection(
            Optional.empty(), Optional.of(new Settings.Tls(certificate, key, true)), 100);
    try (TestGateway gateway = TestGateway.protectedBy(folder.resolve("data"), tls)) {
      assertThat(health(gateway, own).statusCode()).isEqualTo(200);
      for (String path : ProtocolPaths.RSSCLOUD) {

        assertThat(plain(gateway, path).statusCode()).as(path).isNotIn(308, 404);
      }
      assertThat(plain(gateway, "/pleaseNotify").body()).contains("<notifyResult");
      for (String path : List.of("/hub", "/api/v1/feeds", "/pleaseNotify/", "//ping", "/")) {
        assertThat(plain(gateway, path).statusCode()).as(path).isEqualTo(308);
      }
    }
  }

  private static HttpResponse<String> plain(TestGateway gateway, String path) throws Exception {
    URI url = URI.create(gateway.url(path).replaceFirst("^https:", "http:"));
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(url)
                .POST(HttpRequest.BodyPublishers.ofString("notifyProcedure="))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void a_gateway_whose_certificate_cannot_be_used_does_not_start() throws Exception {
    Path nothing = Files.createFile(folder.resolve("nothing.pem"));
    Settings.Protection tls =
        new Settings.Protection(
            Optional.empty(), Optional.of(new Settings.Tls(nothing, nothing, false)), 100);
    assertThatThrownBy(() -> TestGateway.protectedBy(folder.resolve("data"), tls))
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("--tls-cert " + nothing + ": there is no certificate in it");
  }
}
