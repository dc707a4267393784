package io.feedbridge.gateway.web.console.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.guard.PasswordTries;
import io.feedbridge.gateway.guard.Rate;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.web.common.AdminAccess;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The sessions of operators, and the forms that count. */
class GateTest {

  private static final String HOST = "hub.example";
  private static final String TOKEN = "operator";

  private final ManualTimer timer = new ManualTimer(Instant.parse("2026-11-01T00:00:00Z"));
  private final Gate gate = gate(URI.create("https://hub.example"), Optional.of(TOKEN));

  private Gate gate(URI publicUrl, Optional<String> token) {
    return new Gate(
        new AdminAccess(token.map(Secret::new), publicUrl),
        token.isPresent(),
        publicUrl,
        new PasswordTries(new Rate(3, Duration.ofMinutes(1)), timer.clock()),
        new SecureRandom(),
        timer.clock());
  }

  private static Request request(String... headers) {
    return from("192.0.2.7", headers);
  }

  private static Request from(String peer, String... headers) {
    return new Request(
        "POST",
        "/feeds",
        "",
        Map.of(),
        Headers.of(headers),
        new byte[0],
        new InetSocketAddress(peer, 4711),
        Map.of());
  }

  private String signIn(Gate at, String host) {
    Gate.SignIn result = at.signIn(request("Host", host), "192.0.2.7", TOKEN);
    assertThat(result).isInstanceOf(Gate.SignIn.Done.class);
    return ((Gate.SignIn.Done) result).cookie();
  }

  private static String value(String cookie) {
    return cookie.substring(0, cookie.indexOf(';'));
  }

  private boolean isOperator(String cookie, String host) {
    return gate.standing(request("Host", host, "Cookie", cookie)).operator();
  }

  @Test
  void a_cookie_of_https_is_for_https_this_host_and_no_script() {
    assertThat(signIn(gate, HOST))
        .startsWith("__Host-feedbridge_session=")
        .contains("; HttpOnly", "; SameSite=Strict", "; Secure", "; Path=/", "; Max-Age=43200");
  }

  @Test
  void a_cookie_of_http_is_one_that_a_browser_takes() {
    String cookie = signIn(gate(URI.create("http://hub.example"), Optional.of(TOKEN)), HOST);

    assertThat(cookie).startsWith("feedbridge_session=").doesNotContain("Secure");
  }

  @Test
  void a_session_ends_after_twelve_hours_however_much_it_is_used() {
    String cookie = value(signIn(gate, HOST));

    timer.advance(Duration.ofHours(11));
    assertThat(isOperator(cookie, HOST)).isTrue();
    timer.advance(Duration.ofHours(1));
    assertThat(isOperator(cookie, HOST)).isFalse();
  }

  @Test
  void a_session_ends_by_signing_out() {
    String cookie = value(signIn(gate, HOST));

    String cleared = gate.signOut(request("Host", HOST, "Cookie", "a=b; " + cookie));

    assertThat(cleared).contains("Max-Age=0");
    assertThat(isOperator(cookie, HOST)).isFalse();
  }

  @Test
  void a_session_holds_for_no_other_host() {
    String cookie = value(signIn(gate, HOST));

    assertThat(isOperator(cookie, HOST)).isTrue();
    assertThat(isOperator(cookie, "rebound.example")).isFalse();
  }

  @Test
  void a_session_is_of_one_gateway_run_alone() {
    String cookie =
        value(signIn(gate(URI.create("https://hub.example"), Optional.of(TOKEN)), HOST));

    assertThat(isOperator(cookie, HOST)).isFalse();
  }

  @Test
  void the_oldest_session_makes_room() {
    List<String> cookies = new ArrayList<>();
    for (int i = 0; i <= Sessions.MAX; i++) {
      cookies.add(value(signIn(gate, HOST)));
    }

    assertThat(isOperator(cookies.get(0), HOST)).isFalse();
    assertThat(cookies.subList(1, cookies.size())).allMatch(cookie -> isOperator(cookie, HOST));
  }

  @Test
  void too_many_wrong_tokens_of_a_caller_are_held_back() {
    for (int i = 0; i < 3; i++) {
      assertThat(gate.signIn(request("Host", HOST), "192.0.2.7", "wrong"))
          .isInstanceOf(Gate.SignIn.Wrong.class);
    }

    assertThat(gate.signIn(request("Host", HOST), "192.0.2.7", "wrong"))
        .isInstanceOf(Gate.SignIn.TooMany.class);
    timer.advance(Duration.ofMinutes(1));
    assertThat(gate.signIn(request("Host", HOST), "192.0.2.7", "wrong"))
        .isInstanceOf(Gate.SignIn.Wrong.class);
  }

  @Test
  void wrong_tokens_never_refuse_the_right_one() {
    for (int i = 0; i < 400; i++) {
      gate.signIn(request("Host", HOST), "192.0.2." + i % 20, "wrong");
    }

    assertThat(gate.signIn(request("Host", HOST), "192.0.2.7", TOKEN))
        .isInstanceOf(Gate.SignIn.Done.class);
    assertThat(gate.signIn(request("Host", HOST), "198.51.100.1", TOKEN))
        .isInstanceOf(Gate.SignIn.Done.class);
  }

  @Test
  void a_form_counts_with_the_token_of_its_own_session_alone() {
    String cookie = value(signIn(gate, HOST));
    Request own = request("Host", HOST, "Cookie", cookie, "Origin", "https://hub.example");
    Gate.Standing standing = gate.standing(own);
    String other =
        gate.standing(request("Host", HOST, "Cookie", value(signIn(gate, HOST)))).formToken();

    assertThat(gate.isOwnForm(own, standing, standing.formToken())).isTrue();
    assertThat(gate.isOwnForm(own, standing, other)).isFalse();
    assertThat(gate.isOwnForm(own, standing, "")).isFalse();
  }

  @Test
  void a_form_of_another_site_does_not_count_even_with_the_token() {
    String cookie = value(signIn(gate, HOST));
    for (String[] sign :
        new String[][] {
          {"Origin", "https://evil.example"},
          {"Origin", "null"},
          {"Origin", "https://hub.example.evil.example"},
          {"Sec-Fetch-Site", "cross-site"},
          {"Sec-Fetch-Site", "same-site"}
        }) {
      Request forged = request("Host", HOST, "Cookie", cookie, sign[0], sign[1]);
      Gate.Standing standing = gate.standing(forged);

      assertThat(gate.isOwnForm(forged, standing, standing.formToken())).as(sign[1]).isFalse();
    }
  }

  @Test
  void without_a_token_this_machine_is_the_operator_under_a_loopback_name_alone() {
    Gate open = gate(URI.create("http://localhost:5337"), Optional.empty());

    assertThat(open.standing(from("127.0.0.1", "Host", "localhost:5337")).operator()).isTrue();
    assertThat(open.standing(from("127.0.0.1", "Host", "rebound.example")).operator()).isFalse();
    assertThat(open.standing(from("192.0.2.7", "Host", "localhost:5337")).operator()).isFalse();
  }
}
