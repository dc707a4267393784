package io.feedbridge.gateway.server.limits;

import static java.util.concurrent.CompletableFuture.completedStage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.TestServer;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawClient;
import io.feedbridge.gateway.testing.ServerBounds;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@ExtendWith(LeakCheck.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class TlsCertificateTest {
  private static final String HELLO = "GET /hello HTTP/1.1\nHost: a\n\n";
  private static final String LAST = "GET /hello HTTP/1.1\nHost: a\nConnection: close\n\n";

  private final Router router =
      Router.builder()
          .route("GET", "/hello", request -> completedStage(Response.text(200, "hello")))
          .build();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final ExecutorService handshakes = Executors.newSingleThreadExecutor();
  private Certificate first;
  private Certificate second;
  private Path certificate;
  private Path key;

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("io.feedbridge.gateway.server");
  }

  @BeforeAll
  void make(@TempDir Path folder) throws Exception {
    certificate = folder.resolve("cert.pem");
    key = folder.resolve("key.pem");
    first = Certificate.of(Files.createDirectory(folder.resolve("1")), "ip:127.0.0.1");
    second = Certificate.of(Files.createDirectory(folder.resolve("2")), "ip:127.0.0.1");
  }

  @AfterAll
  void end() {
    handshakes.shutdownNow();
  }

  @BeforeEach
  void begin() throws Exception {
    write(first.certificatePem(), first.keyPem());
    logged.list.clear();
    logged.start();
    logger().addAppender(logged);
  }

  @AfterEach
  void noStackTraces() {
    logger().detachAppender(logged);
    assertThat(logged.list).allMatch(event -> event.getThrowableProxy() == null);
  }

  private void write(String certificatePem, String keyPem) throws IOException {
    Files.writeString(certificate, certificatePem);
    Files.writeString(key, keyPem);
  }

  private TlsCertificate load() throws IOException {
    return TlsCertificate.of(certificate, key, handshakes);
  }

  private TestServer serve(TlsCertificate tls) throws IOException {
    return new TestServer(router, ServerLimits.DEFAULT, Optional.of(tls));
  }

  private static RawClient connect(TestServer server, Certificate trusted)
      throws IOException, GeneralSecurityException {
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.server.address().getPort());
    SSLSocket socket =
        (SSLSocket)
            trusted
                .client()
                .getSocketFactory()
                .createSocket(plain, "127.0.0.1", plain.getPort(), true);
    socket.startHandshake();
    return new RawClient(socket);
  }

  @Test
  void requests_are_served_over_TLS_and_the_end_of_a_connection_is_told() throws Exception {
    try (TestServer server = serve(load());
        RawClient client = connect(server, first)) {
      assertThat(client.send(HELLO).read().body()).isEqualTo("hello");
      assertThat(client.send(HELLO + LAST).read().body()).isEqualTo("hello");
      assertThat(client.read().closes()).isTrue();
      // Without a close_notify this would throw.
      assertThat(client.atEnd()).isTrue();
    }
  }

  private static String suiteOf12(TestServer server, Certificate trusted, String suite)
      throws IOException, GeneralSecurityException {
    try (SSLSocket socket =
        (SSLSocket)
            trusted
                .client()
                .getSocketFactory()
                .createSocket(
                    InetAddress.getLoopbackAddress(), server.server.address().getPort())) {
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.setEnabledCipherSuites(new String[] {suite});
      socket.startHandshake();
      return socket.getSession().getCipherSuite();
    }
  }

  @Test
  void RFC9325_4_2_of_TLS_1_2_only_suites_with_forward_secrecy_and_AEAD_are_taken()
      throws Exception {
    try (TestServer server = serve(load())) {
      String good = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
      assertThat(suiteOf12(server, first, good)).isEqualTo(good);
      assertThatThrownBy(() -> suiteOf12(server, first, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"))
          .isInstanceOf(SSLException.class);
    }
  }

  @Test
  void who_does_not_speak_TLS_is_closed() throws Exception {
    try (TestServer server = serve(load())) {
      try (RawClient client = server.connect()) {
        client.send(HELLO);
        client.socket().shutdownOutput();
        while (!client.atEnd()) {
          // An alert may come first.
        }
      }
      try (RawClient client = connect(server, first)) {
        assertThat(client.send(LAST).read().body()).isEqualTo("hello");
      }
    }
  }

  @Test
  void who_does_not_shake_hands_in_time_is_closed() throws Exception {
    Duration soon = Duration.ofMillis(150);
    Duration late = Duration.ofMinutes(5);
    ServerLimits limits = ServerBounds.times(late, soon, late, late);
    try (TestServer server = new TestServer(router, limits, Optional.of(load()));
        RawClient client = server.connect()) {
      while (!client.atEnd()) {
        // An alert may come first.
      }
      assertThat(logged.list).isEmpty();
    }
  }

  @Test
  void other_files_are_for_new_connections_and_the_old_ones_go_on() throws Exception {
    TlsCertificate tls = load();
    try (TestServer server = serve(tls);
        RawClient before = connect(server, first)) {
      write(second.certificatePem(), second.keyPem());
      tls.reload();
      try (RawClient after = connect(server, second)) {
        assertThat(after.send(LAST).read().body()).isEqualTo("hello");
      }
      assertThatThrownBy(() -> connect(server, first)).isInstanceOf(SSLException.class);
      assertThat(before.send(LAST).read().body()).isEqualTo("hello");
    }
  }

  @Test
  void files_that_cannot_be_used_change_nothing_and_are_told_once() throws Exception {
    TlsCertificate tls = load();
    try (TestServer server = serve(tls)) {
      // As between the two writes of whoever renews them.
      Files.writeString(certificate, second.certificatePem());
      tls.reload();
      tls.reload();
      assertThat(logged.list)
          .singleElement()
          .satisfies(
              event ->
                  assertThat(event.getKeyValuePairs().toString())
                      .contains("this is not the key of the certificate"));
      try (RawClient client = connect(server, first)) {
        assertThat(client.send(LAST).read().body()).isEqualTo("hello");
      }
      Files.delete(key);
      tls.reload();
      tls.reload();
      assertThat(logged.list).hasSize(2);
      Files.writeString(key, second.keyPem());
      tls.reload();
      try (RawClient client = connect(server, second)) {
        assertThat(client.send(LAST).read().body()).isEqualTo("hello");
      }
    }
  }

  @Test
  void files_that_are_as_before_are_not_read_again() throws Exception {
    TlsCertificate tls = load();
    tls.reload();
    assertThat(logged.list).isEmpty();
  }

  @Test
  void a_key_may_be_in_the_older_form_behind_its_curve() throws Exception {
    byte[] older =
        PrivateKeyInfo.getInstance(first.key().getEncoded())
            .parsePrivateKey()
            .toASN1Primitive()
            .getEncoded();
    byte[] curve =
        PrivateKeyInfo.getInstance(first.key().getEncoded())
            .getPrivateKeyAlgorithm()
            .getParameters()
            .toASN1Primitive()
            .getEncoded();
    write(
        first.certificatePem(),
        Certificate.pem("EC PARAMETERS", curve) + Certificate.pem("EC PRIVATE KEY", older));
    try (TestServer server = serve(load());
        RawClient client = connect(server, first)) {
      assertThat(client.send(LAST).read().body()).isEqualTo("hello");
    }
  }

  @Test
  void what_is_wrong_with_the_files_is_told_with_the_option() throws Exception {
    assertRefused(first.certificatePem(), second.keyPem(), "--tls-key", "not the key of");
    assertRefused(first.certificatePem(), first.certificatePem(), "--tls-key", "no private key");
    assertRefused(first.certificatePem(), "", "--tls-key", "no private key");
    assertRefused(
        first.certificatePem(),
        Certificate.pem("PRIVATE KEY", new byte[] {1, 2, 3}),
        "--tls-key",
        "certificate's kind");
    assertRefused(
        first.certificatePem(),
        Certificate.pem("EC PRIVATE KEY", new byte[] {1, 2, 3}),
        "--tls-key",
        "cannot be read");
    assertRefused(
        first.certificatePem(),
        Certificate.pem("ENCRYPTED PRIVATE KEY", new byte[] {1, 2, 3}),
        "--tls-key",
        "passphrase");
    assertRefused("", first.keyPem(), "--tls-cert", "no certificate");
    assertRefused(first.keyPem(), first.keyPem(), "--tls-cert", "no certificate");
    Files.delete(key);
    assertThatThrownBy(this::load).isInstanceOf(IOException.class).hasMessageContaining("no such");
  }

  private void assertRefused(String certificatePem, String keyPem, String option, String reason)
      throws IOException {
    write(certificatePem, keyPem);
    assertThatThrownBy(this::load)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(option)
        .hasMessageContaining(reason);
  }
}
