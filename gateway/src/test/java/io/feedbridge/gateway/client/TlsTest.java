package io.feedbridge.gateway.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Hop;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.TestClient;
import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawHost;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(LeakCheck.class)
class TlsTest {
  @TempDir static Path folder;
  private static SSLContext server;
  private static TrustManager trust;

  /** A certificate of its own for feeds.test and 127.0.0.1, by the JDK's keytool. */
  @BeforeAll
  static void makeCertificate() throws IOException, InterruptedException, GeneralSecurityException {
    Certificate certificate = Certificate.of(folder, "dns:feeds.test,ip:127.0.0.1");
    server = certificate.server();
    trust = certificate.trust();
  }

  private static TestClient trusting() {
    return new TestClient(ClientConfig.defaults().withTrustManager(trust));
  }

  @Test
  void a_trusted_host_is_called_over_a_kept_connection() {
    try (RawHost host = RawHost.secure(server, RawHost.always(RawHost.ok("safe")));
        TestClient tested = trusting()) {
      tested.resolver.answer("feeds.test", "127.0.0.1");
      for (int i = 0; i < 3; i++) {
        assertThat(tested.fetch(host.at("feeds.test", "/")).body())
            .isEqualTo("safe".getBytes(UTF_8));
      }

      assertThat(host.accepted()).isEqualTo(1);
      assertThat(host.requests().get(0).header("Host")).contains("feeds.test:" + host.port());
    }
  }

  @Test
  void an_address_is_verified_as_an_address() {
    try (RawHost host = RawHost.secure(server, RawHost.always(RawHost.ok("safe")));
        TestClient tested = trusting()) {
      assertThat(tested.fetch(host.url("/")).status()).isEqualTo(200);
    }
  }

  @Test
  void the_servers_name_is_sent() {
    try (RawHost host =
            RawHost.secure(
                server,
                talk -> {
                  talk.read();
                  String names = String.join(",", serverNames(talk));
                  talk.send(RawHost.ok(names));
                  talk.awaitEnd();
                });
        TestClient tested = trusting()) {
      tested.resolver.answer("feeds.test", "127.0.0.1");

      assertThat(new String(tested.fetch(host.at("feeds.test", "/")).body(), UTF_8))
          .isEqualTo("feeds.test");
    }
  }

  private static List<String> serverNames(RawHost.Talk talk) {
    ExtendedSSLSession session = (ExtendedSSLSession) talk.tlsSession();
    return session.getRequestedServerNames().stream()
        .map(SNIServerName::getEncoded)
        .map(name -> new String(name, UTF_8))
        .toList();
  }

  @Test
  void a_certificate_for_another_host_is_refused() {
    try (RawHost host = RawHost.secure(server, RawHost.always(RawHost.ok("not safe")));
        TestClient tested = trusting()) {
      tested.resolver.answer("other.test", "127.0.0.1");

      CallException failure = tested.failure(Call.get(host.at("other.test", "/"), Purpose.FETCH));

      assertThat(failure.failure()).isEqualTo(Failure.TLS);
      assertThat(failure).hasMessageContaining("certificate of other.test");
      assertThat(host.requests()).isEmpty();
      assertThat(tested.client.connections()).isZero();
    }
  }

  @Test
  void a_certificate_of_nobody_known_is_refused() {
    try (RawHost host = RawHost.secure(server, RawHost.always(RawHost.ok("not safe")));
        TestClient tested = new TestClient()) {
      tested.resolver.answer("feeds.test", "127.0.0.1");

      assertThat(tested.fetchFailure(host.at("feeds.test", "/"))).isEqualTo(Failure.TLS);
      assertThat(host.requests()).isEmpty();
    }
  }

  @Test
  void a_server_that_speaks_no_TLS_fails_as_TLS() {
    try (RawHost host =
            RawHost.running(
                talk -> {
                  talk.send("HTTP/1.1 400 Bad Request\r\n\r\n");
                  talk.awaitEnd();
                });
        TestClient tested = trusting()) {
      assertThat(tested.fetchFailure(host.url("/").replace("http:", "https:")))
          .isEqualTo(Failure.TLS);
    }
  }

  @Test
  void a_handshake_that_never_ends_is_bounded_by_the_connect_timeout() {
    try (RawHost host = RawHost.running(RawHost.Talk::awaitEnd);
        TestClient tested = trusting()) {
      String url = host.url("/").replace("http:", "https:");

      CallException failure =
          tested.failure(Call.get(url, Purpose.FETCH).connectTimeout(Duration.ofMillis(150)));

      assertThat(failure.failure()).isEqualTo(Failure.TLS);
      assertThat(failure).hasMessageContaining("in time");
    }
  }

  @Test
  void a_redirect_down_to_http_is_on_record() {
    try (RawHost plain = RawHost.answering(RawHost.ok("x"));
        RawHost host =
            RawHost.secure(server, RawHost.always(RawHost.redirect(301, plain.url("/"))));
        TestClient tested = trusting()) {
      Reply reply = tested.call(Call.get(host.url("/"), Purpose.FETCH).redirects(1));

      assertThat(reply.hops()).containsExactly(new Hop(301, host.url("/"), plain.url("/")));
    }
  }
}
