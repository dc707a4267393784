package io.feedbridge.gateway.web.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.schedule.ManualTimer;
import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.store.StoreException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Who is let in, and what keeps connections awake. */
class StreamReadersTest {

  private final ManualTimer timer = new ManualTimer(Instant.parse("2026-02-03T04:05:06Z"));
  private final StreamReaders readers =
      new StreamReaders(Permits.Bounds.of(1, 2), Runnable::run, timer);

  private static StreamCaller caller(String key) {
    return new StreamCaller(key, () -> true);
  }

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
    readers.enter(events, Wire.SSE, caller("one"));
    readers.enter(lines, Wire.NDJSON, caller("two"));
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
    readers.enter(deaf, Wire.SSE, caller("one"));
    timer.advance(StreamReaders.HEARTBEAT);
    timer.advance(StreamReaders.HEARTBEAT);
    assertThat(deaf.text()).isEqualTo(":\n\n");
  }

  @Test
  void more_than_the_bound_are_not_let_in_until_somebody_goes() {
    Listener first = new Listener();
    assertThat(readers.enter(first, Wire.SSE, caller("one"))).isTrue();
    assertThat(readers.enter(new Listener(), Wire.SSE, caller("two"))).isTrue();
    assertThat(readers.isFull("three")).isTrue();
    Listener third = new Listener();
    assertThat(readers.enter(third, Wire.SSE, caller("three"))).isFalse();
    assertThat(third.ended()).isDone();
    first.end();
    assertThat(readers.isFull("three")).isFalse();
    assertThat(readers.enter(new Listener(), Wire.SSE, caller("three"))).isTrue();
  }

  @Test
  void one_caller_has_no_more_than_its_share() {
    assertThat(readers.enter(new Listener(), Wire.SSE, caller("one"))).isTrue();
    assertThat(readers.isFull("one")).isTrue();
    assertThat(readers.isFull("two")).isFalse();
    Listener second = new Listener();
    assertThat(readers.enter(second, Wire.SSE, caller("one"))).isFalse();
    assertThat(second.ended()).isDone();
    assertThat(readers.count()).isEqualTo(1);
  }

  @Test
  void a_reader_that_has_lost_its_right_ends_at_the_next_heartbeat() {
    AtomicBoolean right = new AtomicBoolean(true);
    Listener ends = new Listener();
    Listener stays = new Listener();
    readers.start();
    readers.enter(ends, Wire.SSE, new StreamCaller("one", right::get));
    readers.enter(stays, Wire.SSE, caller("two"));
    stays.take();
    right.set(false);
    timer.advance(StreamReaders.HEARTBEAT);
    assertThat(ends.ended()).isDone();
    assertThat(ends.text()).isEqualTo(":\n\n");
    assertThat(stays.ended()).isNotDone();
    assertThat(stays.text()).isEqualTo(":\n\n:\n\n");
    assertThat(readers.isFull("one")).isFalse();
  }

  @Test
  void a_right_that_the_store_does_not_tell_is_asked_again_and_nothing_is_sent_meanwhile() {
    AtomicBoolean broken = new AtomicBoolean(true);
    Listener reader = new Listener();
    readers.start();
    readers.enter(
        reader,
        Wire.SSE,
        new StreamCaller(
            "one",
            () -> {
              if (broken.get()) {
                throw new StoreException("the store is away", new IllegalStateException());
              }
              return true;
            }));
    reader.take();
    timer.advance(StreamReaders.HEARTBEAT);
    assertThat(reader.ended()).isNotDone();
    assertThat(reader.text()).isEqualTo(":\n\n");
    broken.set(false);
    timer.advance(StreamReaders.HEARTBEAT);
    assertThat(reader.text()).isEqualTo(":\n\n:\n\n");
  }
}
