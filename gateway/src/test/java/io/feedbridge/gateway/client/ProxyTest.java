package io.feedbridge.gateway.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.OwnAddress;
import io.feedbridge.gateway.client.address.Proxy;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.Target;
import io.feedbridge.gateway.client.address.TestClient;
import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.testing.Certificate;
import io.feedbridge.gateway.testing.FakeProxy;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawHost;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway has no address of feeds.test: only the proxy leads there. */
@ExtendWith(LeakCheck.class)
class ProxyTest {

  private static final String LOGIN = "ann:xyzzy@";
  private static final String BASIC =
      "Basic " + Base64.getEncoder().encodeToString("ann:xyzzy".getBytes(UTF_8));
  private static final String KEY = "X-Key";

  @TempDir static Path folder;
  private static Certificate certificate;

  private final FakeProxy proxy = new FakeProxy();
  private TestClient tested;

  @BeforeAll
  static void makeCertificate() throws Exception {
    certificate = Certificate.of(folder, "dns:feeds.test");
  }

  @BeforeEach
  void start() {
    tested = new TestClient(ClientConfig.defaults().withTrustManager(certificate.trust()));
  }

  @AfterEach
  void close() {
    tested.close();
    proxy.close();
  }

  private String url(String login) {
    return "http://" + login + "127.0.0.1:" + proxy.port();
  }

  /** A call with a secret field and a proxy. */
  private static Call.Builder by(String proxy, String url) {
    try {
      return Call.get(url, Purpose.FETCH)
          .redirects(3)
          .credentials(
              new Call.Credentials(
                  Target.parse(url).origin(),
                  List.of(new Header(KEY, "for-the-origin")),
                  Proxy.parse(proxy).orElseThrow()));
    } catch (CallException e) {
      throw new AssertionError(e);
    }
  }

  private static String by(RawHost proxy) {
    return "http://" + LOGIN + "127.0.0.1:" + proxy.port();
  }

  private static String text(Reply reply) {
    return new String(reply.body(), UTF_8);
  }

  @Test
  void an_http_request_goes_to_the_proxy_whole_and_the_password_no_further() {
    try (RawHost origin = RawHost.answering(RawHost.last("text/plain", "news"))) {
      proxy.open("feeds.test:80", origin.port());
      proxy.demand(BASIC);

      assertThat(text(tested.call(by(url(LOGIN), "http://feeds.test/a?b")))).isEqualTo("news");

      RawHost.Received asked = proxy.heads().get(0);
      assertThat(asked.line()).isEqualTo("GET http://feeds.test/a?b HTTP/1.1");
      assertThat(asked.header("Host")).contains("feeds.test");
      RawHost.Received passed = origin.requests().get(0);
      assertThat(passed.line()).isEqualTo("GET /a?b HTTP/1.1");
      assertThat(passed.header(KEY)).contains("for-the-origin");
      assertThat(tested.resolver.asked()).isEmpty();
    }
  }

  @Test
  void an_https_request_goes_through_a_tunnel_that_is_kept() {
    try (RawHost origin =
        RawHost.secure(certificate.server(), RawHost.always(RawHost.ok("safe")))) {
      proxy.open("feeds.test:443", origin.port());
      proxy.demand(BASIC);

      for (int i = 0; i < 3; i++) {
        assertThat(text(tested.call(by(url(LOGIN), "https://feeds.test/a")))).isEqualTo("safe");
      }

      assertThat(proxy.heads())
          .singleElement()
          .satisfies(
              head -> {
                assertThat(head.line()).isEqualTo("CONNECT feeds.test:443 HTTP/1.1");
                assertThat(head.header("Host")).contains("feeds.test:443");
                assertThat(head.header(KEY)).isEmpty();
              });
      assertThat(origin.requests())
          .hasSize(3)
          .allSatisfy(
              request -> {
                assertThat(request.line()).isEqualTo("GET /a HTTP/1.1");
                assertThat(request.header("Proxy-Authorization")).isEmpty();
                assertThat(request.header(KEY)).contains("for-the-origin");
              });
      assertThat(origin.accepted()).isEqualTo(1);
      assertThat(tested.resolver.asked()).isEmpty();
    }
  }

  @Test
  void a_proxy_without_a_password_gets_none() {
    try (RawHost origin = RawHost.answering(RawHost.last("text/plain", "news"))) {
      proxy.open("feeds.test:8080", origin.port());

      assertThat(tested.call(by(url(""), "http://feeds.test:8080/")).status()).isEqualTo(200);
      assertThat(proxy.heads().get(0).header("Proxy-Authorization")).isEmpty();
    }
  }

  @Test
  void the_certificate_must_be_the_origins_own() {
    try (RawHost origin =
        RawHost.secure(certificate.server(), RawHost.always(RawHost.ok("not safe")))) {
      proxy.open("other.test:443", origin.port());

      CallException failure = tested.failure(by(url(""), "https://other.test/"));

      assertThat(failure.failure()).isEqualTo(Failure.TLS);
      assertThat(failure).hasMessageContaining("certificate of other.test");
      assertThat(origin.requests()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "https"})
  void a_wrong_password_is_told(String scheme) {
    proxy.demand("Basic another");

    CallException failure = tested.failure(by(url(LOGIN), scheme + "://feeds.test/"));

    assertThat(failure)
        .hasMessageContaining("the proxy of feeds.test answered with status 407")
        .hasMessageNotContaining("xyzzy");
    await().until(() -> tested.client.connections() == 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 502 Bad Gateway\\r\\nContent-Length: 3\\r\\n\\r\\nbad|status 502",
        "HTTP/1.1 403 No\\r\\n\\r\\n|status 403",
        "HTTP/1.1 100 Continue\\r\\n\\r\\n|status 100",
        "HTTP/1.1 302 Found\\r\\nLocation: https://portal.test/\\r\\n\\r\\n|status 302",
        "SSH-2.0-OpenSSH_9.6\\r\\n\\r\\n|not HTTP",
        "HTTP/1.1 200 OK\\r\\nX: LONG\\r\\n\\r\\n|headers are too long",
        "HTTP/1.1 LONG\\r\\n\\r\\n|headers are too long",
        "HTTP/1.1 200 OK\\r\\n\\r\\nHTTP/1.1 200 OK\\r\\n\\r\\n|more than an answer",
        "HTTP/1.1 200 OK\\r\\n\\r\\nab|more than an answer",
        "HTTP/1.1 200 OK\\r\\nX: half|the proxy of feeds.test"
      })
  void an_answer_that_opens_no_tunnel_is_a_failure_of_the_proxy(String answer, String why) {
    String bytes = answer.replace("\\r\\n", "\r\n").replace("LONG", "x".repeat(40_000));
    try (RawHost host =
        RawHost.running(
            talk -> {
              talk.readHead();
              talk.send(bytes);
              if (!answer.contains("half")) {
                talk.awaitEnd();
              }
            })) {
      CallException failure = tested.failure(by(by(host), "https://feeds.test/"));

      assertThat(failure)
          .hasMessageContaining("the proxy of feeds.test")
          .hasMessageContaining(why)
          .hasMessageNotContaining("xyzzy");
      await().until(() -> host.open() == 0);
      assertThat(tested.client.connections()).isZero();
    }
  }

  @Test
  void a_proxy_that_hangs_up_is_told() {
    try (RawHost host = RawHost.running(RawHost.Talk::readHead)) {
      assertThat(tested.failure(by(by(host), "https://feeds.test/")))
          .hasMessageContaining("the proxy of feeds.test closed the connection");
      assertThat(tested.failure(by(by(host), "http://feeds.test/")))
          .hasMessageContaining("the proxy of feeds.test closed the connection");
    }
  }

  @Test
  void a_silent_proxy_ends_with_the_time_of_the_call() {
    try (RawHost host = RawHost.running(RawHost.Talk::awaitEnd)) {
      CallException failure =
          tested.failure(by(by(host), "https://feeds.test/").timeout(Duration.ofMillis(300)));

      assertThat(failure.failure()).isEqualTo(Failure.TIMEOUT);
      assertThat(failure).hasMessageContaining("the connection of the proxy of feeds.test");
      await().until(() -> host.open() == 0 && tested.client.connections() == 0);
    }
  }

  @Test
  void a_dead_proxy_and_one_without_an_address_are_told() {
    String nowhere = "http://127.0.0.1:" + FreePort.next();

    assertThat(tested.failure(by(nowhere, "https://feeds.test/")))
        .hasMessageContaining("the proxy of feeds.test refused the connection");
    CallException unnamed = tested.failure(by("http://proxy.test:3128", "https://feeds.test/"));
    assertThat(unnamed).hasMessage("No address was found for the proxy of feeds.test");
    assertThat(unnamed.isNameUnknown()).as("the feed is not gone").isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "https"})
  void a_proxy_in_a_refused_network_is_not_dialled(String scheme) {
    try (RawHost inside = RawHost.inside(RawHost.INSIDE, 0)) {
      tested.resolver.answer("proxy.test", RawHost.INSIDE);
      for (String host : List.of(RawHost.INSIDE, "proxy.test")) {
        String at = "http://%s:%d".formatted(host, inside.port());

        CallException failure = tested.failure(by(at, scheme + "://feeds.test/"));

        assertThat(failure.failure()).isEqualTo(Failure.ADDRESS_REFUSED);
        assertThat(failure).hasMessageContaining("the proxy of feeds.test");
      }
      assertThat(tested.failure(by("http://127.0.0.1:25", scheme + "://feeds.test/")).failure())
          .isEqualTo(Failure.ADDRESS_REFUSED);
      assertThat(inside.accepted()).isZero();
    }
  }

  @Test
  void the_gateway_itself_is_no_proxy() {
    tested.close();
    InetSocketAddress listening =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port());
    tested =
        new TestClient(
            ClientConfig.defaults(),
            Transport.best(),
            AddressPolicy.allowing(List.of("127.0.0.1/32"), List.of())
                .exceptFor(new OwnAddress(listening, URI.create("http://gateway.test/"))));
    tested.resolver.answer("proxy.test", "127.0.0.1");

    CallException failure =
        tested.failure(by("http://proxy.test:" + proxy.port(), "http://feeds.test/"));

    assertThat(failure.failure()).isEqualTo(Failure.ADDRESS_REFUSED);
    assertThat(failure).hasMessageContaining("this gateway itself");
    assertThat(proxy.heads()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://10.0.0.1/", "https://127.0.0.2/", "http://[::1]/", "http://8.8.8.8:25/"})
  void the_proxy_is_not_asked_for_an_origin_that_must_not_be_called(String url) {
    assertThat(tested.failure(by(url(""), url)).failure()).isEqualTo(Failure.ADDRESS_REFUSED);
    assertThat(proxy.heads()).isEmpty();
  }

  @Test
  void a_redirect_to_another_origin_is_followed_without_the_proxy() {
    try (RawHost other = RawHost.answering(RawHost.ok("elsewhere"));
        RawHost origin =
            RawHost.running(
                talk -> {
                  talk.read();
                  talk.send(
                      RawHost.redirect(302, other.url("/a"))
                          .replace("\r\nContent", "\r\nConnection: close\r\nContent"));
                })) {
      proxy.open("feeds.test:80", origin.port());

      Reply reply = tested.call(by(url(LOGIN), "http://feeds.test/a"));

      assertThat(text(reply)).isEqualTo("elsewhere");
      assertThat(proxy.heads()).hasSize(1);
      assertThat(other.requests())
          .singleElement()
          .satisfies(
              request -> {
                assertThat(request.line()).isEqualTo("GET /a HTTP/1.1");
                assertThat(request.headers().toString()).doesNotContain("Proxy", KEY);
              });
    }
  }

  @Test
  void a_kept_connection_serves_calls_with_the_same_proxy_and_password_alone() {
    try (RawHost host = RawHost.answering(RawHost.ok("x"))) {
      String direct = host.url("/");
      String first = by(host);
      String second = first.replace("xyzzy", "other");
      for (int round = 0; round < 2; round++) {
        assertThat(tested.fetch(direct).status()).isEqualTo(200);
        assertThat(tested.call(by(first, direct)).status()).isEqualTo(200);
        assertThat(tested.call(by(second, direct)).status()).isEqualTo(200);
      }

      assertThat(host.accepted()).isEqualTo(3);
      for (int connection = 1; connection <= 3; connection++) {
        int number = connection;
        assertThat(
                host.requests().stream()
                    .filter(request -> request.connection() == number)
                    .map(request -> request.line() + request.header("Proxy-Authorization"))
                    .distinct())
            .hasSize(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "proxy.test:3128",
        "http://proxy.test",
        "http://proxy.test/",
        "http://proxy.test:3128/",
        "http://proxy.test:3128?a",
        "http://proxy.test:0",
        "http://proxy.test:65536",
        "https://proxy.test:3128",
        "socks5://proxy.test:1080",
        "http://user@proxy.test:3128",
        "http://a:b:c@proxy.test:3128",
        "http://a:b@c@proxy.test:3128",
        "http://a%3Ab:c@proxy.test:3128",
        "http://a:b%0A@proxy.test:3128",
        "http://a:b%2@proxy.test:3128",
        "http://a b:c@proxy.test:3128",
        "http://proxy.test:31 28",
        "http://proxy.test:3128\r\n",
        "http://0x7f000001:3128",
        "http://[fe80::1%25eth0]:3128"
      })
  void another_text_is_no_proxy(String text) {
    assertThat(Proxy.parse(text)).isEmpty();
  }

  @Test
  void user_and_password_are_decoded_and_never_shown() {
    Proxy read = Proxy.parse("HTTP://ann%40x:p+%3A%2F%c3%a4@[2001:4860:4860::8888]:3128").get();

    String value = "ann@x:p+:/ä";
    assertThat(read.authorization())
        .isEqualTo("Basic " + Base64.getEncoder().encodeToString(value.getBytes(UTF_8)));
    assertThat(read.target().origin().port()).isEqualTo(3128);
    assertThat(read.toString()).isEqualTo("Proxy[]");
  }
}
