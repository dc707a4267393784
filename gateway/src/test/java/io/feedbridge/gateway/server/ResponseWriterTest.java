package io.feedbridge.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.limits.ResponseRoom;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Reply;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.LeakCheck;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class ResponseWriterTest {
  private static final String DATE = "date: Tue, 03 Feb 2026 04:05:06 GMT\r\n";

  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new HttpResponseEncoder(),
          new ChunkedWriteHandler(),
          new ResponseWriter(
              Clock.fixed(TestServer.NOW, ZoneOffset.UTC),
              new ResponseRoom(1 << 20, ServerObserver.NONE)));

  private String written(Reply reply) {
    channel.writeOutbound(reply);
    StringBuilder text = new StringBuilder();
    for (Object part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      ByteBuf bytes = (ByteBuf) part;
      text.append(bytes.toString(StandardCharsets.UTF_8));
      bytes.release();
    }
    return text.toString();
  }

  private static Reply reply(Response response) {
    return new Reply(response, false, HttpVersion.HTTP_1_1, false);
  }

  @Test
  void a_response_has_a_length_and_a_date() {
    assertThat(written(reply(Response.text(200, "é"))))
        .isEqualTo(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "content-length: 2\r\n"
                + DATE
                + "\r\né");
  }

  @Test
  void a_long_body_is_written_in_pieces_under_one_length() {
    byte[] body = new byte[3 * ResponseWriter.PIECE + 1];
    Arrays.fill(body, (byte) 'x');

    assertThat(written(reply(Response.of(200, "a/b", body))))
        .contains("content-length: " + body.length + "\r\n")
        .doesNotContain("chunked")
        .endsWith("\r\n\r\n" + "x".repeat(body.length));
  }

  @Test
  void an_answer_to_head_has_the_length_of_a_long_body_too() {
    byte[] body = new byte[2 * ResponseWriter.PIECE];

    assertThat(written(new Reply(Response.of(200, "a/b", body), true, HttpVersion.HTTP_1_1, false)))
        .contains("content-length: " + body.length + "\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void an_empty_body_has_a_length_too() {
    assertThat(written(reply(Response.empty(302).withHeader("Location", "/"))))
        .contains("\r\ncontent-length: 0\r\n")
        .contains("\r\nLocation: /\r\n");
  }

  @Test
  void RFC9110_8_6_a_204_has_none() {
    assertThat(written(reply(Response.noContent())))
        .isEqualTo("HTTP/1.1 204 No Content\r\n" + DATE + "\r\n");
  }

  @Test
  void RFC9110_9_3_2_an_answer_to_head_has_the_length_and_not_the_body() {
    assertThat(written(new Reply(Response.text(200, "body"), true, HttpVersion.HTTP_1_1, false)))
        .contains("content-length: 4\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void what_a_handler_says_of_framing_is_not_believed() {
    Response response =
        Response.text(200, "body")
            .withHeader("Content-Length", "400")
            .withHeader("Transfer-Encoding", "chunked");
    assertThat(written(reply(response)))
        .contains("content-length: 4\r\n")
        .doesNotContain("400", "chunked");
  }

  @Test
  void the_end_of_a_connection_is_announced() {
    Response response = Response.noContent();
    assertThat(written(new Reply(response, false, HttpVersion.HTTP_1_1, true)))
        .contains("connection: close");
    assertThat(written(new Reply(response, false, HttpVersion.HTTP_1_0, true)))
        .startsWith("HTTP/1.1 204")
        .contains("connection: close");
    assertThat(written(new Reply(response, false, HttpVersion.HTTP_1_0, false)))
        .contains("connection: keep-alive");
  }

  @Test
  void lines_of_one_name_are_all_written() {
    Response response = Response.noContent().plusHeader("Link", "<a>").plusHeader("Link", "<b>");
    assertThat(written(reply(response))).contains("Link: <a>\r\nLink: <b>\r\n");
  }
}
