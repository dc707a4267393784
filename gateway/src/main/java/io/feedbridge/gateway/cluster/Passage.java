package io.feedbridge.gateway.cluster;

import io.feedbridge.gateway.server.message.Outflow;
import io.feedbridge.gateway.server.message.Response;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The answer of another node, on its way to the client: whole where it is short, and otherwise
 * piece by piece, each of which is asked for when the client has taken the piece before.
 */
final class Passage implements Flow.Subscriber<List<ByteBuffer>> {

  /** Bytes of an answer that are collected before the client gets any. */
  static final int COLLECTED = 256 * 1_024;

  /** Fields that are about one connection (RFC 9110 §7.6.1), or are the server's to write. */
  private static final Set<String> NOT_PASSED =
      namesOf(
          "Connection",
          "Content-Length",
          "Content-Type",
          "Date",
          "Keep-Alive",
          "Proxy-Authenticate",
          "Proxy-Connection",
          "TE",
          "Trailer",
          "Transfer-Encoding",
          "Upgrade");

  /** Their pieces are events, for which clients wait. */
  private static final Set<String> EVENTS = Set.of("text/event-stream", "application/x-ndjson");

  private final int status;
  private final HttpHeaders headers;
  private final CompletableFuture<Response> answer;

  /** Guarded by this, as the fields below are. */
  private final ByteArrayOutputStream collected = new ByteArrayOutputStream();

  private Flow.@Nullable Subscription pieces;
  private @Nullable Outflow client;
  private boolean live;
  private boolean complete;
  private boolean failed;

  /**
   * An answer whose head has come.
   *
   * @param head of which the body is to be handed to this
   * @param answer completed with the answer for the client; when something else completes it, no
   *     more of the body is read
   */
  Passage(HttpResponse<?> head, CompletableFuture<Response> answer) {
    status = head.statusCode();
    headers = head.headers();
    this.answer = answer;
    var unused = answer.whenComplete((response, failure) -> answered());
  }

  private synchronized void answered() {
    if (!live && !complete) {
      cancel();
    }
  }

  static Set<String> namesOf(String... names) {
    Set<String> all = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    all.addAll(List.of(names));
    return all;
  }

  @Override
  public synchronized void onSubscribe(Flow.Subscription subscription) {
    pieces = subscription;
    if (answer.isDone()) {
      subscription.cancel();
    } else if (isOfEvents()) {
      goLive();
    } else {
      subscription.request(1);
    }
  }

  private boolean isOfEvents() {
    String type = headers.firstValue("Content-Type").orElse("");
    return EVENTS.contains(type.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT));
  }

  @Override
  public synchronized void onNext(List<ByteBuffer> piece) {
    for (ByteBuffer part : piece) {
      byte[] bytes = new byte[part.remaining()];
      part.get(bytes);
      collected.writeBytes(bytes);
    }
    if (client != null) {
      pass(client);
    } else if (collected.size() > COLLECTED) {
      goLive();
    } else {
      more();
    }
  }

  private void goLive() {
    live = true;
    answer.complete(head(Response.empty(status)).writtenBy(this::begin));
  }

  private synchronized void begin(Outflow to) {
    if (failed) {
      to.abort();
      return;
    }
    client = to;
    var unused = to.ended().thenRun(this::cancel);
    pass(to);
  }

  private void pass(Outflow to) {
    byte[] bytes = collected.toByteArray();
    collected.reset();
    boolean last = complete;
    if (bytes.length == 0) {
      next(to, last);
      return;
    }
    var unused =
        to.write(bytes)
            .whenComplete(
                (taken, failure) -> {
                  if (failure == null) {
                    next(to, last);
                  } else {
                    cancel();
                  }
                });
  }

  private synchronized void next(Outflow to, boolean last) {
    if (last) {
      to.end();
    } else {
      more();
    }
  }

  private synchronized void more() {
    if (pieces != null) {
      pieces.request(1);
    }
  }

  private synchronized void cancel() {
    if (pieces != null) {
      pieces.cancel();
    }
  }

  @Override
  public synchronized void onComplete() {
    complete = true;
    if (!live) {
      answer.complete(whole());
    } else if (client != null && collected.size() == 0) {
      client.end();
    }
  }

  @Override
  public synchronized void onError(Throwable failure) {
    failed = true;
    if (client != null) {
      // The client must not take the part for the whole.
      client.abort();
    } else if (!live) {
      answer.completeExceptionally(failure);
    }
  }

  private Response whole() {
    byte[] body = collected.toByteArray();
    return head(
        body.length == 0
            ? Response.empty(status)
            : Response.of(
                status,
                headers.firstValue("Content-Type").orElse("application/octet-stream"),
                body));
  }

  private Response head(Response bare) {
    Response response =
        headers
            .firstValue("Content-Type")
            .map(type -> bare.withHeader("Content-Type", type))
            .orElse(bare);
    for (Map.Entry<String, List<String>> field : headers.map().entrySet()) {
      if (!NOT_PASSED.contains(field.getKey())) {
        for (String value : field.getValue()) {
          response = response.plusHeader(field.getKey(), value);
        }
      }
    }
    return response;
  }
}
