package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.log.LogSink;
import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.store.log.Event;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * One reader of the stream. It is given the next events once it has taken the ones before, if it
 * has the right to read them then. The server closes its connection when it takes too long.
 */
final class StreamReader implements LogSink {

  /** Small events are sent together, up to about so many bytes. */
  private static final int PIECE = 64 << 10;

  private final Outflow out;
  private final StreamCaller caller;
  private final Wire wire;
  private final boolean updates;
  private final Renderings renderings;
  private final Executor executor;

  StreamReader(
      Outflow out,
      EventStream.Query query,
      StreamCaller caller,
      Renderings renderings,
      Executor executor) {
    this.out = out;
    this.caller = caller;
    wire = query.wire();
    updates = query.updates();
    this.renderings = renderings;
    this.executor = executor;
  }

  @Override
  public CompletableFuture<Answer> take(List<Event> events, boolean more, int retries) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    later(events.iterator(), answer);
    return answer;
  }

  private void later(Iterator<Event> events, CompletableFuture<Answer> answer) {
    try {
      executor.execute(() -> send(events, answer));
    } catch (RejectedExecutionException stopping) {
      out.end();
      answer.complete(Answer.END);
    }
  }

  private void send(Iterator<Event> events, CompletableFuture<Answer> answer) {
    byte[] piece;
    boolean mayRead;
    try {
      piece = piece(events);
      mayRead = piece.length == 0 || caller.mayRead();
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
      return;
    }
    if (!mayRead) {
      out.end();
      answer.complete(Answer.END);
      return;
    }
    if (piece.length == 0) {
      answer.complete(Answer.TAKEN);
      return;
    }
    var unused =
        out.write(piece)
            .whenComplete(
                (written, failure) -> {
                  if (failure != null) {
                    answer.complete(Answer.END);
                  } else if (events.hasNext()) {
                    later(events, answer);
                  } else {
                    answer.complete(Answer.TAKEN);
                  }
                });
  }

  /**
   * The next events, as many as are sent together; empty if no remaining event has news for the
   * reader.
   */
  private byte[] piece(Iterator<Event> events) {
    byte[] first = {};
    while (first.length == 0 && events.hasNext()) {
      first = of(events.next());
    }
    if (first.length >= PIECE || !events.hasNext()) {
      return first;
    }
    ByteArrayOutputStream together = new ByteArrayOutputStream(PIECE);
    together.writeBytes(first);
    while (together.size() < PIECE && events.hasNext()) {
      together.writeBytes(of(events.next()));
    }
    return together.toByteArray();
  }

  private byte[] of(Event event) {
    return caller.hidden().test(event.feedId()) ? new byte[0] : renderings.of(event, wire, updates);
  }

  @Override
  public void letGo() {
    out.abort();
  }

  /** Tells it, since it counts on having everything. */
  @Override
  public void missed(long after, long upTo) {
    String gap = "{\"gap\":{\"after\":\"%d\",\"upTo\":\"%d\"}}".formatted(after, upTo);
    var unused = out.write(wire.document(upTo, "gap", gap.getBytes(StandardCharsets.US_ASCII)));
  }
}
