package io.feedbridge.gateway.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Bodies in Brotli are undone within their bounds, and others are refused. */
class BrotliTest {

  /** An RSS document of 1,125 characters with 20 items. */
  private static final byte[] FEED =
      Base64.getDecoder()
          .decode(
              "G3gEIJwHtu1kK2XPtNTl/kqD1LlSdkyPo0n6QtWlHO8w1MlysWuJ8BsTnno5A2GboVr7WOyCCCJoCRajyeTL"
                  + "4e3oNrbEFZ1AW9GouezHz8bPLtuiIX389lohy0aoOb4SW8zadN5Y9s4ZKrx9CAOkIcoI3TiGCUyT"
                  + "WKawTeOY+cdU3AEfcAUnU5GlxK6cQwWnSi5V3Kp5cLrNEovBBg==");

  /** 17 MiB of spaces. */
  private static final byte[] BOMB =
      Base64.getDecoder().decode("z///fwAkQOKxQHLv/+v//wFIAMRhAejePwA=");

  private static final int MOST = 16 << 20;

  private final Brotli brotli = new Brotli();

  private static Reply reply(byte[] body) {
    Headers headers = new Headers(new DefaultHttpHeaders().add("Content-Encoding", "BR"));
    return new Reply(200, headers, body, false, "http://a.example/", List.of(), null);
  }

  private Failure failure(byte[] body, Room room) {
    return catchThrowableOfType(CallException.class, () -> brotli.undo(reply(body), MOST, room))
        .failure();
  }

  @Test
  void a_body_is_undone() throws CallException {
    assertThat(Brotli.isIn(reply(FEED))).isTrue();
    assertThat(new String(brotli.undo(reply(FEED), MOST, Room.UNBOUNDED), UTF_8))
        .startsWith("<rss version=\"2.0\"><channel><title>Brotli</title>")
        .contains("<title>Entry 19, \u00fc</title>")
        .endsWith("</channel></rss>")
        .hasSize(1_125);
  }

  @Test
  void a_body_that_just_fits_does() throws CallException {
    int length = brotli.undo(reply(FEED), MOST, Room.UNBOUNDED).length;

    assertThat(brotli.undo(reply(FEED), length, Room.UNBOUNDED)).hasSize(length);
    assertThat(
            catchThrowableOfType(
                CallException.class, () -> brotli.undo(reply(FEED), length - 1, Room.UNBOUNDED)))
        .extracting(CallException::failure)
        .isEqualTo(Failure.TOO_LARGE);
  }

  @Test
  void a_bomb_ends_at_the_bound_whatever_its_ratio() {
    assertThat(failure(BOMB, Room.UNBOUNDED)).isEqualTo(Failure.TOO_LARGE);
  }

  @Test
  void a_bomb_takes_no_more_room_than_there_is() {
    AtomicInteger left = new AtomicInteger(1 << 20);

    assertThat(failure(BOMB, bytes -> left.addAndGet(-bytes) >= 0)).isEqualTo(Failure.NO_ROOM);
  }

  @Test
  void what_ends_too_early_or_is_no_Brotli_breaks_the_call() {
    assertThat(failure(Arrays.copyOf(FEED, FEED.length / 2), Room.UNBOUNDED))
        .isEqualTo(Failure.BROKEN);
    assertThat(failure(new byte[0], Room.UNBOUNDED)).isEqualTo(Failure.BROKEN);
    assertThat(failure("<rss>text</rss>".getBytes(UTF_8), Room.UNBOUNDED))
        .isEqualTo(Failure.BROKEN);
  }

  @Test
  void whatever_comes_is_either_read_or_breaks_the_call() {
    Random random = new Random(7);
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = FEED.clone();
      for (int change = 0; change < 1 + i % 3; change++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(brotli.undo(reply(bytes), 1 << 20, Room.UNBOUNDED)).isNotNull();
      } catch (CallException e) {
        assertThat(e.failure()).isIn(Failure.BROKEN, Failure.TOO_LARGE);
      }
    }
  }
}
