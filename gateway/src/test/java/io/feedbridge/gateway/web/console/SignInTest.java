package io.feedbridge.gateway.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.config.Secret;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.jsoup.Jsoup;
import org.jsoup.select.Elements;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console of a gateway with an admin token, from the sign-in to the sign-out. */
class SignInTest {

  private static final String FORM = "application/x-www-form-urlencoded";

  @TempDir static Path data;

  private static final Http http = new Http();
  private static TestGateway gateway;

  @BeforeAll
  static void start() {
    int port = FreePort.next();
    gateway =
        TestGateway.guarded(
            data,
            port,
            URI.create("http://127.0.0.1:" + port),
            Optional.of(new Secret("the-token")));
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static HttpResponse<String> get(String path, String cookie) {
    return http.get(gateway.url(path), "Cookie", cookie);
  }

  private static HttpResponse<String> post(String path, String cookie, String... fields) {
    return gateway.post(
        path, FORM, Http.encode(fields).getBytes(StandardCharsets.UTF_8), "Cookie", cookie);
  }

  private static String signIn() {
    HttpResponse<String> answer = gateway.form("/sign-in", "token", "the-token", "next", "/feeds");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).hasValue("/feeds");
    String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
    return cookie.substring(0, cookie.indexOf(';'));
  }

  @Test
  void a_page_of_the_operator_leads_to_the_sign_in_and_back() {
    HttpResponse<String> answer = gateway.get("/feeds?q=a%26b");

    assertThat(answer.statusCode()).isEqualTo(303);
    String signIn = answer.headers().firstValue("Location").orElseThrow();
    assertThat(Jsoup.parse(gateway.get(signIn).body()).select("[name=next]").attr("value"))
        .isEqualTo("/feeds?q=a%26b");
  }

  @Test
  void the_start_page_of_a_stranger_is_the_introduction() {
    assertThat(gateway.get("/").body())
        .contains("Sign in", "/hub")
        .doesNotContain("needs attention");
  }

  @Test
  void the_token_opens_a_session_and_signing_out_ends_it() {
    String cookie = signIn();
    assertThat(get("/", cookie).body()).contains("What needs attention", "Sign out");

    HttpResponse<String> out = post("/sign-out", cookie);

    assertThat(out.statusCode()).isEqualTo(303);
    assertThat(get("/feeds", cookie).statusCode()).isEqualTo(303);
  }

  @Test
  void a_public_log_is_a_page_for_everyone_without_the_parts_for_operators(@TempDir Path own) {
    try (TestGateway open =
        TestGateway.streaming(Clock.systemUTC(), own, new Secret("the-token"))) {
      open.form("/ping", "url", "http://feed.example/rss?key=s3cret");

      Elements rows = Jsoup.parse(open.get("/live").body()).select("tbody tr");

      assertThat(rows.text())
          .contains("http://feed.example/rss?…")
          .doesNotContain("s3cret", "127.0.0.1");
      assertThat(rows.select("a")).isEmpty();
      assertThat(
              http.get(open.url("/live?text=s3cret"), "Authorization", "Bearer the-token").body())
          .contains("key=s3cret", "127.0.0.1");
      assertThat(Jsoup.parse(open.get("/live?text=s3cret").body()).select("tbody tr")).isEmpty();
    }
  }

  @Test
  void a_wrong_token_is_told_and_opens_nothing() {
    HttpResponse<String> answer = gateway.form("/sign-in", "token", "another", "next", "/");

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    assertThat(Jsoup.parse(answer.body()).select("#token-error").text())
        .contains("not the admin token");
    assertThat(answer.body()).doesNotContain("another");
  }

  @Test
  void the_right_token_signs_in_after_too_many_wrong_ones(@TempDir Path own) {
    int port = FreePort.next();
    try (TestGateway attacked =
        TestGateway.guarded(
            own,
            port,
            URI.create("http://127.0.0.1:" + port),
            Optional.of(new Secret("the-token")))) {
      int last = 0;
      for (int i = 0; i < 120; i++) {
        last = attacked.form("/sign-in", "token", "wrong" + i, "next", "/").statusCode();
      }
      assertThat(last).isEqualTo(429);

      assertThat(attacked.form("/sign-in", "token", "the-token", "next", "/").statusCode())
          .isEqualTo(303);
    }
  }

  @Test
  void the_sign_in_leads_to_no_other_host() {
    for (String next : new String[] {"//evil.example", "https://evil.example", "/\\evil.example"}) {
      HttpResponse<String> answer = gateway.form("/sign-in", "token", "the-token", "next", next);
      assertThat(answer.headers().firstValue("Location")).hasValue("/");
    }
  }

  @Test
  void a_form_needs_the_token_of_its_session() {
    String cookie = signIn();
    String url = "http://feed.example/" + cookie.hashCode();
    String formToken =
        Jsoup.parse(get("/webhooks/new", cookie).body()).select("[name=form_token]").attr("value");
    String other =
        Jsoup.parse(get("/webhooks/new", signIn()).body())
            .select("[name=form_token]")
            .attr("value");

    assertThat(post("/feeds", cookie, "url", url).statusCode()).isEqualTo(403);
    assertThat(post("/feeds", cookie, "form_token", other, "url", url).statusCode()).isEqualTo(403);
    assertThat(post("/feeds", cookie, "form_token", formToken, "url", url).statusCode())
        .isEqualTo(303);
  }

  @Test
  void a_form_without_a_session_leads_to_the_sign_in() {
    HttpResponse<String> answer = gateway.form("/feeds", "url", "http://feed.example/");

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).hasValue("/sign-in");
  }

  @Test
  void the_cookie_opens_the_console_and_not_the_api() {
    assertThat(get("/api/v1/feeds", signIn()).statusCode()).isEqualTo(401);
  }

  @Test
  void the_token_in_a_header_opens_the_console_too() {
    assertThat(http.get(gateway.url("/feeds"), "Authorization", "Bearer the-token").statusCode())
        .isEqualTo(200);
  }
}
