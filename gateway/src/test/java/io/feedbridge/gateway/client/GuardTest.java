package io.feedbridge.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.CallException.Failure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * 127.0.0.1 is allowed here and stands for the public internet; 127.0.0.2 is not and stands for the
 * private one.
 */
@ExtendWith(LeakCheck.class)
class GuardTest {
  private static final String CLOSING =
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx";

  private final TestClient tested = new TestClient();

  @AfterEach
  void close() {
    tested.close();
  }

  @Nested
  class Addresses {
    @ParameterizedTest
    @ValueSource(
        strings = {"127.0.0.2", "10.0.0.1", "169.254.169.254", "[::1]", "[fd00::1]", "0.0.0.0"})
    void of_refused_networks_are_not_dialled(String host) {
      CallException failure = tested.failure(Call.get("http://" + host + ":5000/", Purpose.FETCH));

      assertThat(failure.failure()).isEqualTo(Failure.ADDRESS_REFUSED);
    }

    @Test
    void are_judged_after_resolution_and_not_told() {
      tested.resolver.answer("inside.test", "10.11.12.13");

      CallException failure = tested.failure(Call.get("http://inside.test/", Purpose.FETCH));

      assertThat(failure.failure()).isEqualTo(Failure.ADDRESS_REFUSED);
      assertThat(failure).hasMessageContaining("inside.test").hasMessageNotContaining("10.11");
    }

    @Test
    void are_all_refused_if_one_of_an_answer_is() {
      try (FakeHost host = FakeHost.answering(FakeHost.ok("x"))) {
        tested.resolver.answer("mixed.test", "127.0.0.1", "10.0.0.1");

        assertThat(tested.fetchFailure(host.at("mixed.test", "/")))
            .isEqualTo(Failure.ADDRESS_REFUSED);
        assertThat(host.accepted()).isZero();
      }
    }

    @Test
    void that_a_name_is_rebound_to_are_judged_again() {
      try (FakeHost host = FakeHost.on("0.0.0.0", FakeHost.always(CLOSING))) {
        tested.resolver.answer("rebound.test", "127.0.0.1").answer("rebound.test", "127.0.0.2");

        assertThat(tested.fetch(host.at("rebound.test", "/")).status()).isEqualTo(200);
        assertThat(tested.fetchFailure(host.at("rebound.test", "/")))
            .isEqualTo(Failure.ADDRESS_REFUSED);
        assertThat(host.accepted()).isEqualTo(1);
        assertThat(tested.resolver.asked()).hasSize(2);
      }
    }

    @Test
    void are_asked_for_once_per_connection_so_that_the_one_checked_is_the_one_dialled() {
      try (FakeHost host = FakeHost.on("127.0.0.1", FakeHost.always(CLOSING))) {
        // A second lookup between check and dial would get the address on which nobody listens.
        tested.resolver.answer("once.test", "127.0.0.1").answer("once.test", "127.0.0.9");

        assertThat(tested.fetch(host.at("once.test", "/")).status()).isEqualTo(200);
        assertThat(tested.resolver.asked()).containsExactly("once.test");
      }
    }

    @Test
    void are_tried_one_after_the_other() {
      AddressPolicy loopback = AddressPolicy.allowing(List.of("127.0.0.0/8"), List.of());
      assertThat(loopback.permits(Purpose.FETCH, FakeResolver.address("127.0.0.3"))).isTrue();
      try (FakeHost host = FakeHost.on("127.0.0.1", FakeHost.always(FakeHost.ok("x")));
          TestClient own = new TestClient(ClientConfig.defaults(), Transport.best(), loopback)) {
        own.resolver.answer("several.test", "127.0.0.3", "127.0.0.4", "127.0.0.1");

        assertThat(own.fetch(host.at("several.test", "/")).status()).isEqualTo(200);
      }
    }

    @Test
    void on_which_nobody_listens_fail_as_connect() {
      FakeHost gone = FakeHost.answering("");
      gone.close();

      assertThat(tested.fetchFailure(gone.url("/"))).isEqualTo(Failure.CONNECT);
      assertThat(tested.client.connections()).isZero();
    }

    @Test
    void that_do_not_exist_fail_as_unresolved() {
      tested.resolver.answer("empty.test");

      assertThat(tested.fetchFailure("http://nobody.test/")).isEqualTo(Failure.UNRESOLVED);
      assertThat(tested.fetchFailure("http://empty.test/")).isEqualTo(Failure.UNRESOLVED);
      assertThat(tested.client.connections()).isZero();
    }

    @Test
    void are_judged_by_the_calls_purpose() {
      AddressPolicy fetchOnly = AddressPolicy.allowing(List.of("127.0.0.1"), List.of());
      try (FakeHost host = FakeHost.answering(FakeHost.ok("x"));
          TestClient own = new TestClient(ClientConfig.defaults(), Transport.best(), fetchOnly)) {
        assertThat(own.fetch(host.url("/")).status()).isEqualTo(200);
        // The connection that the fetch left open must not let the callback in.
        assertThat(own.failure(Call.get(host.url("/"), Purpose.CALLBACK)).failure())
            .isEqualTo(Failure.ADDRESS_REFUSED);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {22, 25, 110, 143, 465, 587, 993, 995, 6667})
  void a_dangerous_port_is_refused(int port) {
    assertThat(tested.fetchFailure("http://127.0.0.1:" + port + "/"))
        .isEqualTo(Failure.ADDRESS_REFUSED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://127.0.0.1/",
        "http://u:p@127.0.0.1/",
        "http://127.1/",
        "http://127.0.0.1/\n",
        ""
      })
  void a_bad_URL_fails_the_future_and_throws_nothing(String url) {
    assertThat(tested.fetchFailure(url)).isEqualTo(Failure.BAD_URL);
    assertThat(tested.client.inFlight()).isZero();
  }

  @Nested
  class Redirects_of {
    private Call.Builder following(FakeHost host, int redirects) {
      return Call.get(host.url("/"), Purpose.FETCH).redirects(redirects);
    }

    @Test
    void a_call_that_allows_none_are_replies() {
      try (FakeHost host = FakeHost.answering(FakeHost.redirect(301, "/y"))) {
        Reply reply = tested.call(following(host, 0));

        assertThat(reply.status()).isEqualTo(301);
        assertThat(reply.headers().first("location")).contains("/y");
        assertThat(reply.hops()).isEmpty();
      }
    }

    @ParameterizedTest
    @CsvSource({"301,true", "302,false", "303,false", "307,false", "308,true"})
    void any_kind_are_followed_and_told(int status, boolean permanent) {
      try (FakeHost target = FakeHost.answering(FakeHost.ok("there"));
          FakeHost host = FakeHost.answering(FakeHost.redirect(status, target.url("/x?y")))) {
        Reply reply = tested.call(following(host, 1));

        assertThat(reply.finalUrl()).isEqualTo(target.url("/x?y"));
        assertThat(reply.hops())
            .containsExactly(new Hop(status, host.url("/"), target.url("/x?y")));
        assertThat(reply.hops().get(0).permanent()).isEqualTo(permanent);
        assertThat(target.requests().get(0).header("Host")).contains("127.0.0.1:" + target.port());
      }
    }

    @Test
    void a_notification_repeat_the_POST() {
      try (FakeHost target = FakeHost.answering(FakeHost.ok("ok"));
          FakeHost host = FakeHost.answering(FakeHost.redirect(302, target.url("/")))) {
        byte[] body = "url=x".getBytes(StandardCharsets.UTF_8);
        tested.call(
            Call.post(host.url("/"), Purpose.CALLBACK, body)
                .redirects(5)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("X-Hub-Signature", "sha1=0"));

        FakeHost.Received repeated = target.requests().get(0);
        assertThat(repeated.line()).startsWith("POST ");
        assertThat(repeated.body()).isEqualTo("url=x");
        assertThat(repeated.header("Content-Type")).isPresent();
        assertThat(host.requests().get(0).header("X-Hub-Signature")).isPresent();
        assertThat(repeated.header("X-Hub-Signature")).isEmpty();
      }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void a_loop_end_after_as_many_as_allowed(int redirects) {
      try (FakeHost host = FakeHost.answering(FakeHost.redirect(302, "/"))) {
        assertThat(tested.failure(following(host, redirects)).failure())
            .isEqualTo(Failure.TOO_MANY_REDIRECTS);
        assertThat(host.requests()).hasSize(redirects + 1);
        assertThat(host.accepted()).isEqualTo(1);
      }
    }

    @Test
    void a_server_to_a_refused_address_are_refused() {
      tested.resolver.answer("private.test", "127.0.0.2");
      for (String location :
          new String[] {"http://127.0.0.2:5000/", "http://private.test/", "http://127.0.0.1:22/"}) {
        try (FakeHost host = FakeHost.answering(FakeHost.redirect(302, location))) {
          assertThat(tested.failure(following(host, 5)).failure())
              .isEqualTo(Failure.ADDRESS_REFUSED);
        }
      }
    }

    @Test
    void a_server_to_no_usable_URL_are_a_bad_URL() {
      try (FakeHost host = FakeHost.answering(FakeHost.redirect(302, "file:///etc/passwd"))) {
        assertThat(tested.failure(following(host, 5)).failure()).isEqualTo(Failure.BAD_URL);
        assertThat(tested.client.inFlight()).isZero();
      }
    }

    @Test
    void a_status_without_location_are_replies() {
      try (FakeHost host = FakeHost.answering("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")) {
        assertThat(tested.call(following(host, 5)).status()).isEqualTo(302);
      }
    }

    @Test
    void a_server_with_a_long_body_are_followed_without_reading_it() {
      try (FakeHost target = FakeHost.answering(FakeHost.ok("there"));
          FakeHost host =
              FakeHost.running(
                  talk -> {
                    talk.read();
                    talk.send(
                        "HTTP/1.1 302 Found\r\nContent-Length: 99999999\r\nLocation: "
                            + target.url("/")
                            + "\r\n\r\n");
                    talk.send("x".repeat(2 * RunningCall.REDIRECT_BODY));
                    talk.awaitEnd();
                  })) {
        assertThat(tested.call(following(host, 1).refuseBodyOver(100_000)).status()).isEqualTo(200);
      }
    }

    @Test
    void a_call_share_its_time() {
      try (FakeHost slow = FakeHost.running(FakeHost.Talk::awaitEnd);
          FakeHost host = FakeHost.answering(FakeHost.redirect(302, slow.url("/")))) {
        Call.Builder call = following(host, 1).timeout(Duration.ofMillis(200));

        assertThat(tested.failure(call).failure()).isEqualTo(Failure.TIMEOUT);
      }
    }
  }
}
