package io.feedbridge.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.TestClient;
import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.testing.LeakCheck;
import io.feedbridge.gateway.testing.RawHost;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class AnswersTest {
  private final TestClient tested = new TestClient();

  @AfterEach
  void close() {
    tested.close();
  }

  private static Call.Builder get(RawHost host) {
    return Call.get(host.url("/"), Purpose.FETCH);
  }

  private static String text(Reply reply) {
    return new String(reply.body(), UTF_8);
  }

  @Nested
  class The_request {
    @Test
    void goes_out_as_the_caller_wrote_it() {
      try (RawHost host = RawHost.answering(RawHost.ok("yes"))) {
        Reply reply =
            tested.call(
                Call.post(
                        host.url("/a/../b%2f?x=[1]&&y=%7e#z"),
                        Purpose.CALLBACK,
                        "body".getBytes(UTF_8))
                    .header("X-B", "2")
                    .header("x-a", "1")
                    .header("X-B", "ü€"));

        assertThat(reply.status()).isEqualTo(200);
        RawHost.Received sent = host.requests().get(0);
        assertThat(sent.line()).isEqualTo("POST /a/../b%2f?x=[1]&&y=%7e HTTP/1.1");
        assertThat(sent.headers())
            .containsExactly(
                "host: 127.0.0.1:" + host.port(),
                "X-B: 2",
                "x-a: 1",
                "X-B: " + new String("ü€".getBytes(UTF_8), ISO_8859_1),
                "User-Agent: Feedbridge",
                "content-length: 4");
        assertThat(sent.body()).isEqualTo("body");
      }
    }

    @Test
    void has_the_clients_user_agent() {
      try (RawHost host = RawHost.answering(RawHost.ok(""));
          TestClient named = new TestClient(ClientConfig.defaults().withUserAgent("Mine/2"))) {
        named.call(get(host));

        assertThat(host.requests().get(0).headers())
            .containsExactly("host: 127.0.0.1:" + host.port(), "User-Agent: Mine/2");
      }
    }

    @Test
    void has_the_callers_user_agent_if_there_is_one() {
      try (RawHost host = RawHost.answering(RawHost.ok(""))) {
        tested.call(get(host).header("User-Agent", "Mine/1"));

        assertThat(host.requests().get(0).headers())
            .containsExactly("host: 127.0.0.1:" + host.port(), "User-Agent: Mine/1");
      }
    }

    @Test
    void says_the_length_of_an_empty_POST() {
      try (RawHost host = RawHost.answering(RawHost.ok(""))) {
        tested.call(Call.post(host.url("/"), Purpose.CALLBACK, new byte[0]));

        assertThat(host.requests().get(0).header("Content-Length")).contains("0");
      }
    }

    @Test
    void of_a_megabyte_arrives_whole() {
      try (RawHost host = RawHost.answering(RawHost.ok("yes"))) {
        byte[] body = "x".repeat(1 << 20).getBytes(UTF_8);

        tested.call(Call.post(host.url("/"), Purpose.CALLBACK, body));

        assertThat(host.requests().get(0).body()).hasSize(1 << 20);
      }
    }
  }

  @Nested
  class The_reply {
    @ParameterizedTest
    @EnumSource(Transport.class)
    void holds_status_headers_and_body(Transport transport) {
      String response =
          "HTTP/1.1 404 Gone fishing\r\nSet-Cookie: a\r\nset-cookie: b\r\nX-Y:  z \r\nContent-Length: 3\r\n\r\nabc";
      try (RawHost host = RawHost.answering(response);
          TestClient own = new TestClient(ClientConfig.defaults(), transport)) {
        Reply reply = own.call(get(host));

        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.successful()).isFalse();
        assertThat(reply.headers().all("SET-COOKIE")).containsExactly("a", "b");
        assertThat(reply.headers().first("x-y")).contains("z");
        assertThat(reply.headers().first("absent")).isEmpty();
        assertThat(reply.headers().entries()).contains(Map.entry("Set-Cookie", "a"));
        assertThat(text(reply)).isEqualTo("abc");
        assertThat(reply.truncated()).isFalse();
        assertThat(reply.finalUrl()).isEqualTo(host.url("/"));
        assertThat(reply.hops()).isEmpty();
      }
    }

    @Test
    void may_be_chunked() {
      String response =
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\nX-Trailer: t\r\n\r\n";
      try (RawHost host = RawHost.answering(response)) {
        assertThat(text(tested.call(get(host)))).isEqualTo("abc");
        assertThat(text(tested.call(get(host)))).isEqualTo("abc");
        assertThat(host.accepted()).isEqualTo(1);
      }
    }

    @Test
    void may_end_with_the_connection() {
      try (RawHost host =
          RawHost.running(
              talk -> {
                talk.read();
                talk.send("HTTP/1.0 200 OK\r\n\r\nuntil the end");
              })) {
        assertThat(text(tested.call(get(host)))).isEqualTo("until the end");
        assertThat(text(tested.call(get(host)))).isEqualTo("until the end");
        assertThat(host.accepted()).isEqualTo(2);
      }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "HTTP/1.1 204 No Content\r\n\r\n",
          "HTTP/1.1 304 Not Modified\r\nContent-Length: 99999999\r\n\r\n"
        })
    void of_204_or_304_has_no_body_and_keeps_the_connection(String response) {
      try (RawHost host = RawHost.answering(response)) {
        assertThat(tested.call(get(host).refuseBodyOver(10)).body()).isEmpty();
        assertThat(tested.call(get(host).refuseBodyOver(10)).body()).isEmpty();
        assertThat(host.accepted()).isEqualTo(1);
      }
    }

    @Test
    void comes_after_any_interim_answers() {
      String interim =
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
      try (RawHost host = RawHost.answering(interim + RawHost.ok("real"))) {
        assertThat(text(tested.call(get(host)))).isEqualTo("real");
        assertThat(text(tested.call(get(host).acceptCompressed()))).isEqualTo("real");
        assertThat(host.accepted()).isEqualTo(1);
      }
    }

    @Test
    void that_comes_before_the_request_was_read_counts() {
      try (RawHost host =
          RawHost.running(
              talk -> {
                talk.readHead();
                talk.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
                talk.awaitEnd();
              })) {
        Reply reply = tested.call(Call.post(host.url("/"), Purpose.CALLBACK, new byte[8 << 20]));

        assertThat(reply.status()).isEqualTo(413);
        assertThat(text(reply)).isEqualTo("no");
      }
    }

    @Test
    void may_have_bare_line_feeds() {
      try (RawHost host = RawHost.answering("HTTP/1.1 200 OK\nContent-Length: 2\n\nok")) {
        assertThat(text(tested.call(get(host)))).isEqualTo("ok");
      }
    }
  }

  @Nested
  class The_bound_of_the_body {
    @Test
    void cuts_and_closes() {
      try (RawHost host = RawHost.answering(RawHost.ok("0123456789"))) {
        Reply reply = tested.call(get(host).truncateBodyAt(4));

        assertThat(text(reply)).isEqualTo("0123");
        assertThat(reply.truncated()).isTrue();
        tested.call(get(host));
        assertThat(host.accepted()).isEqualTo(2);
      }
    }

    @Test
    void is_the_last_byte_that_fits() {
      try (RawHost host = RawHost.answering(RawHost.ok("0123456789"))) {
        assertThat(tested.call(get(host).truncateBodyAt(10)).truncated()).isFalse();
        assertThat(text(tested.call(get(host).refuseBodyOver(10)))).hasSize(10);
        assertThat(tested.failure(get(host).refuseBodyOver(9)).failure())
            .isEqualTo(Failure.TOO_LARGE);
      }
    }

    @Test
    void refuses_a_length_that_is_only_claimed() {
      try (RawHost host =
          RawHost.running(
              talk -> {
                talk.read();
                talk.send("HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n");
                talk.awaitEnd();
              })) {
        assertThat(tested.failure(get(host).refuseBodyOver(1000)).failure())
            .isEqualTo(Failure.TOO_LARGE);
      }
    }

    @Test
    void ends_an_endless_body() {
      RawHost.Script endless =
          talk -> {
            talk.read();
            talk.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while (true) {
              talk.send("1000\r\n" + "x".repeat(4096) + "\r\n");
            }
          };
      try (RawHost host = RawHost.running(endless)) {
        assertThat(tested.call(get(host).truncateBodyAt(100_000)).body()).hasSize(100_000);
        assertThat(tested.failure(get(host).refuseBodyOver(100_000)).failure())
            .isEqualTo(Failure.TOO_LARGE);
      }
    }

    @Test
    void is_also_the_room_that_the_caller_has_for_it_which_is_asked_for_as_the_body_comes() {
      List<Integer> asked = new CopyOnWriteArrayList<>();
      AtomicInteger left = new AtomicInteger(100_000);
      Room room =
          bytes -> {
            asked.add(bytes);
            return left.addAndGet(-bytes) >= 0;
          };
      String claim = "HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n";
      RawHost.Script claiming =
          talk -> {
            talk.read();
            talk.send(claim + "x".repeat(50_000));
            talk.awaitEnd();
          };
      RawHost.Script sending =
          talk -> {
            talk.read();
            talk.send(claim + "x".repeat(10_000_000));
          };
      try (RawHost claims = RawHost.running(claiming);
          RawHost sends = RawHost.running(sending)) {
        var waiting =
            tested.client.send(
                get(claims)
                    .refuseBodyOver(16 << 20)
                    .in(room)
                    .timeout(Duration.ofSeconds(1))
                    .build());
        assertThat(TestClient.failure(waiting).failure()).isEqualTo(Failure.TIMEOUT);
        assertThat(asked.stream().mapToInt(bytes -> bytes).sum())
            .as("what is claimed only is not asked for")
            .isBetween(50_000, 100_000);

        left.set(100_000);
        assertThat(tested.failure(get(sends).refuseBodyOver(16 << 20).in(room)).failure())
            .isEqualTo(Failure.NO_ROOM);
      }
    }

    @Test
    void holds_for_many_small_and_large_parts() {
      String body = "x".repeat(300_000);
      String response =
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n493e0\r\n"
              + body
              + "\r\n0\r\n\r\n";
      try (RawHost host = RawHost.answering(response)) {
        assertThat(text(tested.call(get(host).refuseBodyOver(300_001)))).isEqualTo("a" + body);
      }
    }
  }

  @Nested
  class Compression {
    private static final String FEED = "<feed>" + "entry ".repeat(10_000) + "</feed>";

    private byte[] encoded(String coding, byte[] body) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (OutputStream out =
          coding.endsWith("gzip") ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes)) {
        out.write(body);
      }
      return bytes.toByteArray();
    }

    private RawHost host(String coding, byte[] bytes) {
      return RawHost.running(
          talk -> {
            while (talk.read() != null) {
              talk.send(
                  "HTTP/1.1 200 OK\r\nContent-Encoding: "
                      + coding
                      + "\r\nContent-Length: "
                      + bytes.length
                      + "\r\n\r\n");
              talk.send(bytes);
            }
          });
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "x-gzip", "deflate"})
    void is_undone_when_asked_for(String coding) throws IOException {
      try (RawHost host = host(coding, encoded(coding, FEED.getBytes(UTF_8)))) {
        Reply reply = tested.call(get(host).acceptCompressed().refuseBodyOver(FEED.length()));

        assertThat(text(reply)).isEqualTo(FEED);
        assertThat(host.requests().get(0).header("Accept-Encoding")).contains("gzip, deflate");
      }
    }

    @Test
    void is_left_alone_when_not_asked_for_even_on_a_connection_that_undid_it() throws IOException {
      byte[] bytes = encoded("gzip", FEED.getBytes(UTF_8));
      try (RawHost host = host("gzip", bytes)) {
        assertThat(text(tested.call(get(host).acceptCompressed()))).isEqualTo(FEED);
        Reply reply = tested.call(get(host));

        assertThat(reply.body()).isEqualTo(bytes);
        assertThat(reply.headers().first("Content-Encoding")).contains("gzip");
        assertThat(host.requests().get(1).header("Accept-Encoding")).isEmpty();
        assertThat(host.accepted()).isEqualTo(1);
      }
    }

    @Test
    void does_not_get_a_bomb_past_the_bound() throws IOException {
      byte[] bomb = encoded("gzip", new byte[200 << 20]);
      try (RawHost host = host("gzip", bomb)) {
        Call.Builder call = get(host).acceptCompressed();

        assertThat(tested.failure(call.refuseBodyOver(1 << 20)).failure())
            .isEqualTo(Failure.TOO_LARGE);
        Reply cut = tested.call(call.truncateBodyAt(1 << 20));
        assertThat(cut.body()).hasSize(1 << 20);
        assertThat(cut.truncated()).isTrue();
      }
    }

    @Test
    void that_is_none_breaks_the_call() {
      try (RawHost host = host("gzip", "no gzip at all, only text".getBytes(UTF_8))) {
        assertThat(tested.failure(get(host).acceptCompressed()).failure())
            .isEqualTo(Failure.BROKEN);
      }
    }

    @Test
    void of_a_coding_not_asked_for_is_left_alone() {
      try (RawHost host = host("snappy", "abc".getBytes(UTF_8))) {
        assertThat(text(tested.call(get(host).acceptCompressed()))).isEqualTo("abc");
      }
    }
  }

  @Nested
  class What_is_not_HTTP {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "SSH-2.0-OpenSSH_9.6\r\n\r\n",
          "220 mail.example ESMTP\r\n",
          "HTTP/1.1 abc OK\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
          "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ntoo short",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
          "HTTP/1.1 200 OK\r\nX: y",
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
          ""
        })
    void is_a_broken_call(String response) {
      try (RawHost host =
          RawHost.running(
              talk -> {
                talk.read();
                talk.send(response);
              })) {
        assertThat(tested.failure(get(host)).failure()).isEqualTo(Failure.BROKEN);
        assertThat(host.requests()).hasSize(1);
      }
    }

    @Test
    void has_a_bound_on_lines_and_headers() {
      String line = "HTTP/1.1 200 " + "x".repeat(ResponseDecoder.MAX_STATUS_LINE) + "\r\n\r\n";
      String header =
          "HTTP/1.1 200 OK\r\nX: " + "x".repeat(ResponseDecoder.MAX_HEADERS) + "\r\n\r\n";
      String headers =
          "HTTP/1.1 200 OK\r\n" + "X: y\r\n".repeat(ResponseDecoder.MAX_HEADERS / 3) + "\r\n";
      for (String response : new String[] {line, header, headers}) {
        try (RawHost host = RawHost.answering(response)) {
          assertThat(tested.failure(get(host)).failure()).isEqualTo(Failure.BROKEN);
        }
      }
    }

    @Test
    void has_a_bound_on_interim_answers() {
      try (RawHost host =
          RawHost.answering("HTTP/1.1 102 Processing\r\n\r\n".repeat(100) + RawHost.ok(""))) {
        assertThat(tested.failure(get(host)).failure()).isEqualTo(Failure.BROKEN);
      }
    }

    @Test
    void may_be_a_reset() {
      try (RawHost host =
          RawHost.running(
              talk -> {
                talk.read();
                talk.reset();
              })) {
        assertThat(tested.failure(get(host)).failure()).isEqualTo(Failure.BROKEN);
      }
    }
  }

  @Nested
  class The_time {
    @Test
    void ends_a_call_that_gets_no_answer() {
      try (RawHost host = RawHost.running(RawHost.Talk::awaitEnd)) {
        CallException failure = tested.failure(get(host).timeout(Duration.ofMillis(150)));

        assertThat(failure.failure()).isEqualTo(Failure.TIMEOUT);
        assertThat(failure).hasMessageContaining("waiting for the answer of 127.0.0.1");
      }
    }

    @Test
    void ends_a_call_whose_answer_drips() {
      try (RawHost host =
          RawHost.running(
              talk -> {
                talk.read();
                talk.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
                talk.awaitEnd();
              })) {
        assertThat(tested.failure(get(host).timeout(Duration.ofMillis(150))).failure())
            .isEqualTo(Failure.TIMEOUT);
      }
    }

    @Test
    void ends_a_call_whose_name_is_not_found() {
      tested.resolver.neverAnswer("slow.test");

      CallException failure =
          tested.failure(
              Call.get("http://slow.test/", Purpose.FETCH).timeout(Duration.ofMillis(150)));

      assertThat(failure.failure()).isEqualTo(Failure.TIMEOUT);
      assertThat(failure).hasMessageContaining("looking up slow.test");
    }
  }
}
