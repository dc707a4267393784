package io.feedbridge.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.client.address.AddressPolicy;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.FakeResolver;
import io.feedbridge.gateway.client.address.Hop;
import io.feedbridge.gateway.client.address.Origin;
import io.feedbridge.gateway.client.address.OwnAddress;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.TestClient;
import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.guard.OwnerGate;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawHost;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
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
      try (RawHost host = RawHost.answering(RawHost.ok("x"))) {
        tested.resolver.answer("mixed.test", "127.0.0.1", "10.0.0.1");

        assertThat(tested.fetchFailure(host.at("mixed.test", "/")))
            .isEqualTo(Failure.ADDRESS_REFUSED);
        assertThat(host.accepted()).isZero();
      }
    }

    @Test
    void that_a_name_is_rebound_to_are_judged_again() {
      try (RawHost host = RawHost.on("0.0.0.0", RawHost.always(CLOSING))) {
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
      try (RawHost host = RawHost.on("127.0.0.1", RawHost.always(CLOSING))) {
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
      try (RawHost host = RawHost.on("127.0.0.1", RawHost.always(RawHost.ok("x")));
          TestClient own = new TestClient(ClientConfig.defaults(), Transport.best(), loopback)) {
        own.resolver.answer("several.test", "127.0.0.3", "127.0.0.4", "127.0.0.1");

        assertThat(own.fetch(host.at("several.test", "/")).status()).isEqualTo(200);
      }
    }

    @Test
    void are_each_judged_by_the_gate_before_they_are_dialled() {
      List<String> judged = new CopyOnWriteArrayList<>();
      Gate gate = gate(judged, address -> address.equals("127.0.0.1"));
      try (RawHost host = RawHost.on("127.0.0.1", RawHost.always(RawHost.ok("x")));
          OutboundClient own = behind(gate, "127.0.0.3", "127.0.0.4", "127.0.0.1")) {
        CallException failure =
            TestClient.failure(
                own.send(Call.get(host.at("several.test", "/"), Purpose.FETCH).build()));

        assertThat(failure.failure()).isEqualTo(Failure.TOO_OFTEN);
        assertThat(judged).containsExactly("127.0.0.3 false", "127.0.0.4 true", "127.0.0.1 true");
        assertThat(host.accepted()).isZero();
      }
    }

    @Test
    void that_the_gate_refuses_are_passed_over_for_the_next() {
      Gate gate = gate(new CopyOnWriteArrayList<>(), address -> address.equals("127.0.0.3"));
      try (RawHost refused = RawHost.on("127.0.0.3", RawHost.always(RawHost.ok("no")));
          RawHost host = RawHost.on("127.0.0.1", RawHost.always(RawHost.ok("x")));
          OutboundClient own = behind(gate, "127.0.0.3", "127.0.0.1")) {
        Reply reply =
            TestClient.get(own.send(Call.get(host.at("several.test", "/"), Purpose.FETCH).build()));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(refused.accepted()).isZero();
      }
    }

    /** The process may have been suspended for longer than its lease while it dialled. */
    @Test
    void get_no_request_if_the_gate_closes_before_they_are_connected() {
      AtomicInteger judged = new AtomicInteger();
      Gate gate = new OwnerGate(() -> judged.getAndIncrement() == 0, Gate.OPEN);
      try (RawHost host = RawHost.on("127.0.0.1", RawHost.always(RawHost.ok("x")));
          OutboundClient own = behind(gate, "127.0.0.1")) {
        CallException failure =
            TestClient.failure(
                own.send(Call.get(host.at("several.test", "/"), Purpose.FETCH).build()));

        assertThat(failure.failure()).isEqualTo(Failure.CLOSED);
        await().until(() -> own.connections() == 0);
        assertThat(host.requests()).isEmpty();
      }
    }

    @Test
    void of_one_name_are_dialled_up_to_a_bound() {
      List<String> judged = new CopyOnWriteArrayList<>();
      String[] many =
          IntStream.range(0, 50).mapToObj(i -> "127.0.0." + (100 + i)).toArray(String[]::new);
      try (OutboundClient own = behind(gate(judged, address -> false), many)) {
        TestClient.failure(
            own.send(
                Call.get("http://several.test:" + FreePort.next() + "/", Purpose.FETCH).build()));

        assertThat(judged).hasSize(Dial.MAX_ADDRESSES);
      }
    }

    private static OutboundClient behind(Gate gate, String... addresses) {
      return OutboundClient.start(
          1,
          ClientConfig.defaults(),
          AddressPolicy.allowing(List.of("127.0.0.0/8"), List.of()),
          (loop, transport) -> new FakeResolver().answer("several.test", addresses),
          gate);
    }

    private static Gate gate(List<String> judged, Predicate<String> tooOften) {
      return new Gate() {
        @Override
        public Verdict judge(Departure departure) {
          String address = departure.address().getHostAddress();
          judged.add(address + " " + departure.again());
          return tooOften.test(address) ? Verdict.TOO_OFTEN : Verdict.PASS;
        }

        @Override
        public void wanted(Departure departure) {
          // Nothing is counted.
        }
      };
    }

    @Test
    void on_which_nobody_listens_fail_as_connect() {
      RawHost gone = RawHost.answering("");
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
      try (RawHost host = RawHost.answering(RawHost.ok("x"));
          TestClient own = new TestClient(ClientConfig.defaults(), Transport.best(), fetchOnly)) {
        assertThat(own.fetch(host.url("/")).status()).isEqualTo(200);
        // The connection that the fetch left open must not let the callback in.
        assertThat(own.failure(Call.get(host.url("/"), Purpose.CALLBACK)).failure())
            .isEqualTo(Failure.ADDRESS_REFUSED);
      }
    }
  }

  @Nested
  class The_gateway_itself {
    private TestClient calling(String listen, int port, String publicUrl) {
      AddressPolicy everywhere =
          AddressPolicy.allowing(List.of("0.0.0.0/0", "::/0"), List.of("0.0.0.0/0", "::/0"));
      OwnAddress own =
          new OwnAddress(
              new InetSocketAddress(FakeResolver.address(listen), port), URI.create(publicUrl));
      return new TestClient(ClientConfig.defaults(), Transport.best(), everywhere.exceptFor(own));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "127.0.0.1",
          "0.0.0.0",
          "[::]",
          "[::ffff:127.0.0.1]",
          "[64:ff9b::7f00:1]",
          "own.test",
          "feeds.test.",
          "FEEDS.test"
        })
    void is_not_called_under_any_spelling(String host) {
      try (RawHost listening = RawHost.on("127.0.0.1", RawHost.always(CLOSING));
          TestClient own =
              calling("127.0.0.1", listening.port(), "http://feeds.test:" + listening.port())) {
        own.resolver.answer("own.test", "127.0.0.1").answer("feeds.test", "127.0.0.1");
        String url = "http://" + host + ":" + listening.port() + "/api/v1/subscriptions";

        for (Purpose purpose : Purpose.values()) {
          CallException failure = own.failure(Call.get(url, purpose));
          assertThat(failure.failure()).isIn(Failure.ADDRESS_REFUSED, Failure.BAD_URL);
        }
        assertThat(listening.accepted()).isZero();
      }
    }

    @Test
    void is_found_behind_each_address_of_the_machine_where_it_listens_on_all_of_them() {
      try (RawHost listening = RawHost.on("0.0.0.0", RawHost.always(CLOSING));
          TestClient own = calling("0.0.0.0", listening.port(), "http://feeds.test")) {
        for (String host : List.of("127.0.0.1", "127.8.9.10", "[::1]")) {
          CallException failure =
              own.failure(Call.get("http://" + host + ":" + listening.port(), Purpose.FETCH));
          assertThat(failure.failure()).isEqualTo(Failure.ADDRESS_REFUSED);
        }
        assertThat(listening.accepted()).isZero();
      }
    }

    @Test
    void is_not_reached_by_a_redirect_either() {
      try (RawHost listening = RawHost.on("127.0.0.1", RawHost.always(CLOSING));
          RawHost host = RawHost.answering(RawHost.redirect(302, listening.url("/api")));
          TestClient own = calling("127.0.0.1", listening.port(), "http://feeds.test")) {
        assertThat(own.failure(Call.get(host.url("/"), Purpose.FETCH).redirects(5)).failure())
            .isEqualTo(Failure.ADDRESS_REFUSED);
        assertThat(listening.accepted()).isZero();
      }
    }

    @Test
    void is_the_public_URL_by_http_and_https_and_no_other_name_or_port_of_that_machine() {
      OwnAddress own =
          new OwnAddress(
              new InetSocketAddress(FakeResolver.address("127.0.0.1"), 5337),
              URI.create("https://feeds.test"));

      assertThat(own.isPublic(new Origin(true, "feeds.test", 443))).isTrue();
      assertThat(own.isPublic(new Origin(false, "feeds.test", 80))).isTrue();
      assertThat(own.isPublic(new Origin(false, "feeds.test", 8080))).isFalse();
      assertThat(own.isPublic(new Origin(true, "blog.feeds.test", 443))).isFalse();
      assertThat(own.isListening(FakeResolver.address("127.0.0.1"), 5338)).isFalse();
      assertThat(own.isListening(FakeResolver.address("127.0.0.2"), 5337)).isFalse();
    }

    @Test
    void leaves_other_ports_of_its_address_alone() {
      try (RawHost host = RawHost.answering(RawHost.ok("x"));
          TestClient own = calling("127.0.0.1", 5337, "http://127.0.0.1:5337")) {
        assertThat(own.fetch(host.url("/")).status()).isEqualTo(200);
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
    private Call.Builder following(RawHost host, int redirects) {
      return Call.get(host.url("/"), Purpose.FETCH).redirects(redirects);
    }

    @Test
    void a_call_that_allows_none_are_replies() {
      try (RawHost host = RawHost.answering(RawHost.redirect(301, "/y"))) {
        Reply reply = tested.call(following(host, 0));

        assertThat(reply.status()).isEqualTo(301);
        assertThat(reply.headers().first("location")).contains("/y");
        assertThat(reply.hops()).isEmpty();
      }
    }

    @ParameterizedTest
    @CsvSource({"301,true", "302,false", "303,false", "307,false", "308,true"})
    void any_kind_are_followed_and_told(int status, boolean permanent) {
      try (RawHost target = RawHost.answering(RawHost.ok("there"));
          RawHost host = RawHost.answering(RawHost.redirect(status, target.url("/x?y")))) {
        Reply reply = tested.call(following(host, 1));

        assertThat(reply.finalUrl()).isEqualTo(target.url("/x?y"));
        assertThat(reply.hops())
            .containsExactly(new Hop(status, host.url("/"), target.url("/x?y")));
        assertThat(reply.hops().get(0).permanent()).isEqualTo(permanent);
        assertThat(target.requests().get(0).header("Host")).contains("127.0.0.1:" + target.port());
      }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void that_the_caller_does_not_admit_send_nothing_to_their_target(boolean throwing) {
      try (RawHost target = RawHost.answering(RawHost.ok("there"));
          RawHost host = RawHost.answering(RawHost.redirect(302, target.url("/x")))) {
        Call.Builder call =
            following(host, 1)
                .mayFollow(
                    url -> {
                      assertThat(url).isEqualTo(target.url("/x"));
                      if (throwing) {
                        throw new IllegalStateException("a defect");
                      }
                      return false;
                    });

        CallException failure = tested.failure(call);

        assertThat(failure.failure()).isEqualTo(throwing ? Failure.BROKEN : Failure.HELD_BACK);
        assertThat(failure.hops()).isEmpty();
        assertThat(target.requests()).isEmpty();
        assertThat(tested.call(following(host, 1)).address())
            .isEqualTo(InetAddress.getLoopbackAddress());
      }
    }

    @Test
    void a_notification_repeat_the_POST() {
      try (RawHost target = RawHost.answering(RawHost.ok("ok"));
          RawHost host = RawHost.answering(RawHost.redirect(302, target.url("/")))) {
        byte[] body = "url=x".getBytes(StandardCharsets.UTF_8);
        tested.call(
            Call.post(host.url("/"), Purpose.CALLBACK, body)
                .redirects(5)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("X-Hub-Signature", "sha1=0"));

        RawHost.Received repeated = target.requests().get(0);
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
      try (RawHost host = RawHost.answering(RawHost.redirect(302, "/"))) {
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
        try (RawHost host = RawHost.answering(RawHost.redirect(302, location))) {
          assertThat(tested.failure(following(host, 5)).failure())
              .isEqualTo(Failure.ADDRESS_REFUSED);
        }
      }
    }

    @Test
    void a_server_to_no_usable_URL_are_a_bad_URL() {
      try (RawHost host = RawHost.answering(RawHost.redirect(302, "file:///etc/passwd"))) {
        assertThat(tested.failure(following(host, 5)).failure()).isEqualTo(Failure.BAD_URL);
        assertThat(tested.client.inFlight()).isZero();
      }
    }

    @Test
    void a_status_without_location_are_replies() {
      try (RawHost host = RawHost.answering("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")) {
        assertThat(tested.call(following(host, 5)).status()).isEqualTo(302);
      }
    }

    @Test
    void a_server_with_a_long_body_are_followed_without_reading_it() {
      try (RawHost target = RawHost.answering(RawHost.ok("there"));
          RawHost host =
              RawHost.running(
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
      try (RawHost slow = RawHost.running(RawHost.Talk::awaitEnd);
          RawHost host = RawHost.answering(RawHost.redirect(302, slow.url("/")))) {
        Call.Builder call = following(host, 1).timeout(Duration.ofMillis(200));

        assertThat(tested.failure(call).failure()).isEqualTo(Failure.TIMEOUT);
      }
    }
  }
}
