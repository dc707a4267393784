package io.feedbridge.gateway.server;

import static io.feedbridge.gateway.server.Embedded.assertPasses;
import static io.feedbridge.gateway.server.Embedded.assertRefuses;
import static io.feedbridge.gateway.server.Embedded.content;
import static io.feedbridge.gateway.server.Embedded.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.LeakCheck;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.io.IOException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The handlers that let a message pass or refuse it, and know nothing else. */
@ExtendWith(LeakCheck.class)
class RuleTest {
  @Nested
  class Framing {
    private final EmbeddedChannel channel = new EmbeddedChannel(new FramingRule());

    private static HttpRequest badHead(Exception cause) {
      HttpRequest head = request("GET", "/");
      head.setDecoderResult(DecoderResult.failure(cause));
      return head;
    }

    @Test
    void what_was_decoded_well_passes() {
      assertPasses(channel, request("POST", "/", "Transfer-Encoding", "Chunked"));
      HttpContent content = content("a");
      assertPasses(channel, content);
      content.release();
      assertPasses(channel, LastHttpContent.EMPTY_LAST_CONTENT);
    }

    @Test
    void a_malformed_head_is_answered_400_without_its_cause() {
      Response response = assertRefuses(channel, badHead(new IllegalArgumentException("<script>")));
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.bodyAsText()).isEqualTo("the request is malformed");
      assertThat(response.isClosing()).isTrue();
    }

    @Test
    void a_line_too_long_is_answered_414_in_the_head_only() {
      TooLongHttpLineException tooLong = new TooLongHttpLineException();
      assertThat(assertRefuses(channel, badHead(tooLong)).status()).isEqualTo(414);
      HttpContent chunk = content("a");
      chunk.setDecoderResult(DecoderResult.failure(tooLong));
      assertThat(assertRefuses(channel, chunk).status()).isEqualTo(400);
      assertThat(chunk.refCnt()).isZero();
    }

    @Test
    void headers_too_large_are_answered_431() {
      Response response = assertRefuses(channel, badHead(new TooLongHttpHeaderException()));
      assertThat(response.status()).isEqualTo(431);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip, chunked", "identity", "chunked, chunked"})
    void RFC9112_6_1_another_transfer_coding_is_answered_501(String coding) {
      Response response = assertRefuses(channel, request("POST", "/", "Transfer-Encoding", coding));
      assertThat(response.status()).isEqualTo(501);
      assertThat(response.isClosing()).isTrue();
    }

    @Test
    void another_major_version_is_answered_505() {
      HttpVersion two = HttpVersion.valueOf("HTTP/2.0");
      assertThat(assertRefuses(channel, request(two, "GET", "/")).status()).isEqualTo(505);
      assertPasses(channel, request(HttpVersion.HTTP_1_0, "GET", "/"));
      assertPasses(channel, request(HttpVersion.valueOf("HTTP/1.2"), "GET", "/"));
    }
  }

  @Nested
  class Host {
    private final EmbeddedChannel channel = new EmbeddedChannel(new HostRule());

    @ParameterizedTest
    @ValueSource(
        strings = {"a", "a.example:80", "127.0.0.1:5337", "[::1]", "[::1]:5337", "a_b", "a:"})
    void one_valid_host_passes(String host) {
      assertPasses(channel, request("GET", "/", "Host", host));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:b", "a:123456", "u@a", "a/b", "[::1", "::1", "a,b/"})
    void RFC9112_3_2_an_invalid_host_is_answered_400(String host) {
      Response response = assertRefuses(channel, request("GET", "/", "Host", host));
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.isClosing()).isTrue();
    }

    @Test
    void RFC9112_3_2_no_host_is_answered_400_but_in_http_1_0() {
      assertThat(assertRefuses(channel, request("GET", "/")).status()).isEqualTo(400);
      assertPasses(channel, request(HttpVersion.HTTP_1_0, "GET", "/"));
    }

    @Test
    void RFC9112_3_2_several_hosts_are_answered_400_in_any_version() {
      for (HttpVersion version : new HttpVersion[] {HttpVersion.HTTP_1_0, HttpVersion.HTTP_1_1}) {
        HttpRequest two = request(version, "GET", "/", "Host", "a", "Host", "a");
        assertThat(assertRefuses(channel, two).status()).isEqualTo(400);
      }
    }
  }

  @Nested
  class Expect {
    private final EmbeddedChannel channel = new EmbeddedChannel(new ExpectRule());

    @Test
    void RFC9110_10_1_1_a_100_continue_passes_in_any_case() {
      assertPasses(channel, request("POST", "/", "Expect", "100-Continue"));
      assertPasses(channel, request("POST", "/"));
    }

    @Test
    void RFC9110_10_1_1_another_expectation_is_answered_417() {
      Response response =
          assertRefuses(
              channel, request("POST", "/", "Expect", "100-continue", "Expect", "wonders"));
      assertThat(response.status()).isEqualTo(417);
    }

    @Test
    void RFC9110_10_1_1_in_http_1_0_it_is_ignored() {
      assertPasses(channel, request(HttpVersion.HTTP_1_0, "POST", "/", "Expect", "wonders"));
    }
  }

  @Nested
  class Failing {
    @Test
    void a_connection_whose_pipeline_failed_is_closed() {
      EmbeddedChannel channel = new EmbeddedChannel(new LastResort());
      channel.pipeline().fireExceptionCaught(new IllegalStateException("for the log"));
      assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void so_is_one_that_was_reset() {
      EmbeddedChannel channel = new EmbeddedChannel(new LastResort());
      channel.pipeline().fireExceptionCaught(new IOException("reset"));
      assertThat(channel.isOpen()).isFalse();
    }
  }
}
