package io.feedbridge.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.Target;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectsTest {
  private static final byte[] BODY = {1};

  private static Request post(String url, String... headerNames) throws CallException {
    List<Header> headers =
        List.of(headerNames).stream().map(name -> new Header(name, "x")).toList();
    return new Request(Call.Method.POST, Target.parse(url), headers, BODY);
  }

  private static Call to(Purpose purpose) {
    return Call.post("http://h.example/", purpose, BODY).redirects(1).build();
  }

  @ParameterizedTest
  @CsvSource({
    "https://other.example/y,https://other.example/y",
    "//other.example/y,http://other.example/y",
    "/y,http://h.example:81/y",
    "y,http://h.example:81/a/b/y",
    "./y,http://h.example:81/a/b/y",
    "../y,http://h.example:81/a/y",
    "../../../y,http://h.example:81/y",
    "..,http://h.example:81/a/",
    ".,http://h.example:81/a/b/",
    "y/./z/../,http://h.example:81/a/b/y/",
    "?z,http://h.example:81/a/b/c?z",
    "#z,http://h.example:81/a/b/c?q=1/2",
    "y?u=../v#w,http://h.example:81/a/b/y?u=../v#w",
    "/x//y;z=.../,http://h.example:81/x//y;z=.../"
  })
  void a_location_is_resolved_against_the_URL_that_sent_it(String location, String expected)
      throws CallException {
    assertThat(Redirects.resolve(Target.parse("http://h.example:81/a/b/c?q=1/2#f"), location))
        .isEqualTo(expected);
  }

  @Test
  void a_location_in_UTF_8_is_read_as_such() throws CallException {
    String received =
        new String("/é".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);

    Request next = Redirects.next(post("http://h.example/"), to(Purpose.FETCH), 301, received);

    assertThat(next.target().requestTarget()).isEqualTo("/%C3%A9");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://h.example/",
        "http://user@h.example/",
        "http://127.1/",
        "//",
        "javascript:1",
        "mailto:a@b"
      })
  void a_location_that_may_not_be_called_is_a_bad_URL(String location) {
    assertThatExceptionOfType(CallException.class)
        .isThrownBy(
            () -> Redirects.next(post("http://h.example/"), to(Purpose.FETCH), 302, location))
        .withMessageContaining("h.example redirected")
        .satisfies(e -> assertThat(e.failure()).isEqualTo(Failure.BAD_URL));
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void a_callbacks_POST_stays_a_POST(int status) throws CallException {
    Request next =
        Redirects.next(
            post("http://h.example/", "Content-Type"), to(Purpose.CALLBACK), status, "/y");

    assertThat(next.method()).isEqualTo(Call.Method.POST);
    assertThat(next.body()).isSameAs(BODY);
    assertThat(next.headers()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void a_registrations_POST_stays_a_POST(int status) throws CallException {
    Call registration =
        Call.post("http://h.example/", Purpose.FETCH, BODY).redirects(3).keepsMethod().build();

    Request next =
        Redirects.next(post("http://h.example/", "Content-Type"), registration, status, "/y");

    assertThat(next.method()).isEqualTo(Call.Method.POST);
    assertThat(next.body()).isSameAs(BODY);
    assertThat(next.headers()).extracting(Header::name).containsExactly("Content-Type");
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303})
  void a_fetchs_POST_becomes_a_GET_without_body_and_what_described_it(int status)
      throws CallException {
    Request next =
        Redirects.next(
            post("http://h.example/", "Content-Type", "Accept"), to(Purpose.FETCH), status, "/y");

    assertThat(next.method()).isEqualTo(Call.Method.GET);
    assertThat(next.body()).isEmpty();
    assertThat(next.headers()).extracting(Header::name).containsExactly("Accept");
  }

  @ParameterizedTest
  @ValueSource(ints = {307, 308})
  void a_fetchs_POST_stays_one_where_the_status_says_so(int status) throws CallException {
    assertThat(Redirects.next(post("http://h.example/"), to(Purpose.FETCH), status, "/y").body())
        .isSameAs(BODY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://other.example/", "http://h.example:81/", "https://h.example/"})
  void secrets_do_not_follow_to_another_origin(String location) throws CallException {
    Request first =
        post(
            "http://h.example/",
            "authorization",
            "COOKIE",
            "X-Hub-Signature",
            "webhook-signature",
            "Accept");

    Request next = Redirects.next(first, to(Purpose.CALLBACK), 307, location);

    assertThat(next.headers()).extracting(Header::name).containsExactly("Accept");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://other.example/", "/y", "http://h.example/"})
  void validators_do_not_follow_anywhere(String location) throws CallException {
    Request first = post("http://h.example/", "If-None-Match", "if-modified-since", "Accept");

    Request next = Redirects.next(first, to(Purpose.FETCH), 307, location);

    assertThat(next.headers()).extracting(Header::name).containsExactly("Accept");
  }

  @Test
  void secrets_stay_within_an_origin() throws CallException {
    Request first = post("http://h.example/", "Authorization", "Cookie", "X-Hub-Signature");

    assertThat(Redirects.next(first, to(Purpose.CALLBACK), 307, "http://H.example:80/y").headers())
        .hasSize(3);
  }

  @Test
  void from_https_to_http_is_followed_for_a_fetch_and_not_for_a_callback() throws CallException {
    Request first = post("https://h.example/");

    assertThat(
            Redirects.next(first, to(Purpose.FETCH), 302, "http://h.example/")
                .target()
                .origin()
                .secure())
        .isFalse();
    assertThatExceptionOfType(CallException.class)
        .isThrownBy(() -> Redirects.next(first, to(Purpose.CALLBACK), 302, "http://h.example/"))
        .satisfies(e -> assertThat(e.failure()).isEqualTo(Failure.ADDRESS_REFUSED));
  }
}
