package io.feedbridge.gateway.web.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Outflow;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who is let in, and what keeps connections awake. */
class StreamReadersTest {

  private final ManualTimer timer = new ManualTimer(Instant.parse("2026-02-03T04:05:06Z"));
  private final StreamReaders readers = new StreamReaders(2, timer);

  /** Takes what is written when the test says so. */
  private static final class Listener implements Outflow {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final List<CompletableFuture<Void>> writes = new ArrayList<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    @Override
    public CompletableFuture<Void> write(byte[] bytes) {
      written.writeBytes(bytes);
      CompletableFuture<Void> write = new CompletableFuture<>();
      writes.add(write);
      return write;
    }

    @Override
    public void abort() {
      end();
    }

    @Override
    public void end() {
      ended.complete(null);
    }

    @Override
    public CompletableFuture<Void> ended() {
      return ended;
    }

    void take() {
      writes.forEach(write -> write.complete(null));
    }

    String text() {
      return written.toString(StandardCharsets.UTF_8);
    }
  }

  @Test
  void a_reader_hears_a_comment_at_once_and_then_every_15_seconds() {
    Listener events = new Listener();
    Listener lines = new Listener();
    readers.start();
    readers.enter(events, Wire.SSE);
    readers.enter(lines, Wire.NDJSON);
    assertThat(events.text()).isEqualTo(":\n\n");
    assertThat(lines.text()).isEqualTo("\n");
    for (int beat = 0; beat < 2; beat++) {
      events.take();
      lines.take();
      timer.advance(StreamReaders.HEARTBEAT);
    }
    assertThat(events.text()).isEqualTo(":\n\n:\n\n:\n\n");
    assertThat(lines.text()).isEqualTo("\n\n\n");
  }

  @Test
  void nothing_is_heaped_on_a_reader_that_does_not_listen() {
    Listener deaf = new Listener();
    readers.start();
    readers.enter(deaf, Wire.SSE);
    timer.advance(StreamReaders.HEARTBEAT);
    timer.advance(StreamReaders.HEARTBEAT);
    assertThat(deaf.text()).isEqualTo(":\n\n");
  }

  @Test
  void more_than_the_bound_are_not_let_in_until_somebody_goes() {
    Listener first = new Listener();
    assertThat(readers.enter(first, Wire.SSE)).isTrue();
    assertThat(readers.enter(new Listener(), Wire.SSE)).isTrue();
    assertThat(readers.isFull()).isTrue();
    Listener third = new Listener();
    assertThat(readers.enter(third, Wire.SSE)).isFalse();
    assertThat(third.ended()).isDone();
    first.end();
    assertThat(readers.isFull()).isFalse();
    assertThat(readers.enter(new Listener(), Wire.SSE)).isTrue();
  }
}
