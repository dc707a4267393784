package io.feedbridge.gateway.web.common;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.TestGateway;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets at what operators may, over real sockets, one header at a time. */
class AdminAccessTest {

  private static final String LIST = "/api/v1/subscriptions";
  private static final String TOKEN = "t0ken:with~punctuation";

  private record Answer(int status, List<String> head, String body) {
    List<String> values(String name) {
      String prefix = name.toLowerCase(Locale.ROOT) + ": ";
      return head.stream()
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
          .map(line -> line.substring(prefix.length()))
          .toList();
    }
  }

  /** What limits hold for: see {@link Admission}. */
  @Nested
  class AnOperator {

    private static final URI LOOPBACK = URI.create("http://127.0.0.1:5337");

    private boolean is(Optional<Secret> token, URI publicUrl, String... headers) {
      Request request =
          new Request(
              "POST",
              "/ping",
              "",
              Map.of(),
              Headers.of(headers),
              new byte[0],
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711),
              Map.of());
      return new AdminAccess(token, publicUrl).isOperator(request);
    }

    @Test
    void is_this_machine_only_while_the_API_is_open_to_it() {
      Optional<Secret> token = Optional.of(new Secret(TOKEN));

      assertThat(is(Optional.empty(), LOOPBACK, "Host", "127.0.0.1:5337")).isTrue();
      assertThat(is(token, LOOPBACK, "Host", "127.0.0.1:5337")).isFalse();
      assertThat(is(token, LOOPBACK, "Host", "127.0.0.1:5337", "Authorization", "Bearer " + TOKEN))
          .isTrue();
      assertThat(is(Optional.empty(), URI.create("https://me.example"), "Host", "127.0.0.1:5337"))
          .isFalse();
    }
  }

  /** A gateway on a port of its own, asked over plain sockets. */
  private abstract static class Asked {
    final int port = FreePort.next();
    private TestGateway gateway;

    @BeforeAll
    void start(@TempDir Path data) {
      gateway = TestGateway.guarded(data, port, publicUrl(), token());
    }

    @AfterAll
    void stop() {
      gateway.close();
    }

    URI publicUrl() {
      return URI.create("http://127.0.0.1:" + port);
    }

    Optional<Secret> token() {
      return Optional.empty();
    }

    /** Sends a request whose header lines stand there with {@code PORT} for the port. */
    Answer send(String method, String target, String... headers) {
      StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
      for (String header : headers) {
        request.append(header.replace("PORT", Integer.toString(port))).append("\r\n");
      }
      request.append("Connection: close\r\n\r\n");
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout((int) Duration.ofSeconds(30).toMillis());
        socket.getOutputStream().write(request.toString().getBytes(ISO_8859_1));
        String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
        String[] headAndBody = answer.split("\r\n\r\n", 2);
        int status =
            Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        return new Answer(status, headAndBody[0].lines().toList(), headAndBody[1]);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Answer list(String... headers) {
      return send("GET", LIST, headers);
    }

    void assertForbidden(Answer answer) {
      assertThat(answer.status).isEqualTo(403);
      assertProblem(answer);
      assertThat(answer.body).contains("--admin-token");
    }

    static void assertProblem(Answer answer) {
      assertThat(answer.values("Content-Type")).containsExactly("application/problem+json");
      try {
        JsonNode problem = new ObjectMapper().readTree(answer.body);
        assertThat(problem.get("status").asInt()).isEqualTo(answer.status);
        assertThat(problem.get("title").asText()).isNotEmpty();
        assertThat(problem.get("detail").asText()).isNotEmpty();
        assertThat(problem.get("errors").isArray()).isTrue();
      } catch (IOException e) {
        throw new AssertionError(answer.body, e);
      }
    }
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class WithoutAToken extends Asked {

    @ParameterizedTest
    @ValueSource(
        strings = {
          "localhost",
          "LocalHost:PORT",
          "127.0.0.1:PORT",
          "127.0.0.1",
          "127.200.3.4:80",
          "[::1]:PORT",
          "[0:0:0:0:0:0:0:1]"
        })
    void this_machine_is_served_under_a_loopback_name(String host) {
      assertThat(list("Host: " + host).status).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "feeds.example.org",
          "localhost.example.org",
          "127.0.0.1.example.org",
          "notlocalhost",
          "localhost.",
          "127.0.0.999",
          "127.1",
          "2130706433",
          "0.0.0.0",
          "10.0.0.1:PORT",
          "[::]",
          "[::2]:PORT",
          "[2001:db8::1]"
        })
    void another_host_is_not(String host) {
      assertForbidden(list("Host: " + host));
    }

    @Test
    void nor_is_one_in_the_target_behind_a_loopback_host() {
      assertForbidden(send("GET", "http://feeds.example.org" + LIST, "Host: localhost"));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "Forwarded: for=192.0.2.1",
          "forwarded: for=127.0.0.1",
          "X-Forwarded-For: 127.0.0.1",
          "x-forwarded-proto: https",
          "X-FORWARDED-HOST: localhost",
          "X-Forwarded-Anything: x",
          "X-Forwarded-For:",
          "Via: 1.1 proxy.example",
          "X-Real-IP: 192.0.2.1",
          "True-Client-IP: 192.0.2.1"
        })
    void what_came_through_a_proxy_is_not(String header) {
      assertForbidden(list("Host: localhost", header));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "User-Agent: Feedbridge/1.0 (+http://127.0.0.1:PORT)",
          "user-agent: feedbridge/1.0 (+https://other.example; 3 subscribers)"
        })
    void a_fetch_or_delivery_of_a_gateway_is_not(String header) {
      assertForbidden(list("Host: localhost", header));
    }

    @Test
    void a_browser_that_names_the_gateway_elsewhere_is_served() {
      assertThat(list("Host: localhost", "User-Agent: Mozilla/5.0 (Feedbridge/1.0)").status)
          .isEqualTo(200);
    }

    @Test
    void the_meters_are_read_under_the_same_rule() {
      assertThat(send("GET", "/metrics", "Host: localhost").status).isEqualTo(200);
      assertForbidden(send("GET", "/metrics", "Host: feeds.example.org"));
      assertForbidden(send("GET", "/metrics", "Host: localhost", "Via: 1.1 proxy.example"));
      assertThat(send("GET", "/health", "Host: feeds.example.org").status).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
      "127.0.0.1:PORT, http://127.0.0.1:PORT",
      "localhost:PORT, http://localhost:PORT",
      "localhost:PORT, http://127.0.0.1:PORT",
      "localhost,      http://localhost",
      "[::1]:PORT,     http://[::1]:PORT"
    })
    void our_own_pages_are_served(String host, String origin) {
      assertThat(list("Host: " + host, "Origin: " + origin).status).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "http://feeds.example.org",
          "null",
          "https://localhost:PORT",
          "http://localhost",
          "http://localhost:1",
          "http://localhost:PORT.example.org",
          "http://localhost:PORT\r\nOrigin: http://feeds.example.org"
        })
    void pages_of_others_are_not(String origin) {
      assertForbidden(list("Host: localhost:PORT", "Origin: " + origin));
    }

    @Test
    void a_token_that_nobody_asked_for_changes_nothing() {
      assertThat(list("Host: localhost", "Authorization: Bearer x").status).isEqualTo(200);
      assertForbidden(list("Host: feeds.example.org", "Authorization: Bearer x"));
    }

    @ParameterizedTest
    @CsvSource({
      "127.0.0.1, true",
      "127.9.9.9, true",
      "::1,       true",
      "192.0.2.1, false",
      "10.0.0.1,  false",
      "::,        false"
    })
    void only_connections_from_this_machine_are_served(String peer, boolean served)
        throws UnknownHostException {
      assertThat(refusedFrom(new InetSocketAddress(InetAddress.getByName(peer), 4711)))
          .isNotEqualTo(served);
    }

    @Test
    void nor_those_from_nobody_knows_where() {
      assertThat(refusedFrom(InetSocketAddress.createUnresolved("localhost", 1))).isTrue();
    }

    private boolean refusedFrom(InetSocketAddress peer) {
      Request request =
          new Request(
              "GET",
              LIST,
              "",
              Map.of(),
              Headers.of("Host", "localhost"),
              new byte[0],
              peer,
              Map.of());
      return new AdminAccess(Optional.empty(), publicUrl()).refusal(request).isPresent();
    }
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class WithoutATokenBehindAPublicName extends Asked {

    @Override
    URI publicUrl() {
      return URI.create("https://feeds.example.org");
    }

    @Test
    void nobody_is_served() {
      assertForbidden(list("Host: localhost"));
      assertForbidden(list("Host: feeds.example.org"));
      assertForbidden(list("Host: localhost", "Origin: https://feeds.example.org"));
    }
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class WithAToken extends Asked {

    @Override
    Optional<Secret> token() {
      return Optional.of(new Secret(TOKEN));
    }

    private static String basic(String nameAndPassword) {
      return "Authorization: Basic "
          + Base64.getEncoder().encodeToString(nameAndPassword.getBytes(UTF_8));
    }

    private void assertUnauthorized(Answer answer) {
      assertThat(answer.status).isEqualTo(401);
      assertThat(answer.values("WWW-Authenticate"))
          .containsExactly(
              "Bearer realm=\"feedbridge\"", "Basic realm=\"feedbridge\", charset=\"UTF-8\"");
      assertProblem(answer);
      assertThat(answer.body).doesNotContain(TOKEN);
    }

    @Test
    void whoever_shows_it_is_served_wherever_the_request_came_through() {
      assertThat(list("Host: localhost", "Authorization: Bearer " + TOKEN).status).isEqualTo(200);
      assertThat(list("Host: a.example", "authorization: bearer  " + TOKEN).status).isEqualTo(200);
      assertThat(
              list(
                      "Host: feeds.example.org",
                      "X-Forwarded-For: 192.0.2.1",
                      "Origin: http://other.example",
                      "Authorization: Bearer " + TOKEN)
                  .status)
          .isEqualTo(200);
    }

    @Test
    void the_meters_take_it_too() {
      assertUnauthorized(send("GET", "/metrics", "Host: localhost"));
      assertThat(
              send("GET", "/metrics", "Host: localhost", "Authorization: Bearer " + TOKEN).status)
          .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "admin", "who ever"})
    void it_is_the_password_of_any_name(String name) {
      assertThat(list("Host: localhost", basic(name + ":" + TOKEN)).status).isEqualTo(200);
    }

    @Test
    void without_it_nobody_is_not_even_this_machine() {
      assertUnauthorized(list("Host: localhost"));
      assertUnauthorized(send("GET", LIST + "?token=" + TOKEN, "Host: localhost"));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "Bearer",
          "Bearer ",
          "Bearer wrong",
          "Bearer t0ken:with~punctuatio",
          "Bearer t0ken:with~punctuation2",
          "Bearer T0KEN:WITH~PUNCTUATION",
          "Bearer t0ken:with~punctuation t0ken:with~punctuation",
          "t0ken:with~punctuation",
          "Token t0ken:with~punctuation",
          "Digest t0ken:with~punctuation",
          "Basic t0ken:with~punctuation",
          "Basic %%%"
        })
    void with_something_else_nobody_is(String credentials) {
      assertUnauthorized(list("Host: localhost", "Authorization: " + credentials));
    }

    @ParameterizedTest
    @ValueSource(strings = {TOKEN, TOKEN + ":", "admin:", "admin:wrong", "admin:x:" + TOKEN})
    void nor_with_another_password(String nameAndPassword) {
      assertUnauthorized(list("Host: localhost", basic(nameAndPassword)));
    }

    @Test
    void nor_with_two_of_them() {
      assertUnauthorized(
          list("Host: localhost", "Authorization: Bearer " + TOKEN, "Authorization: Bearer wrong"));
    }
  }
}
