package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.zip.GZIPInputStream;

/**
 * Takes bodies with {@code Content-Encoding: gzip}, as some clients of XML-RPC and SOAP send long
 * calls. A small body can become a long one, so that the decompressed bytes of all requests have a
 * bound of their own. Safe for use by several threads.
 */
public final class CompressedBodies {

  /** Decompressed bytes of the requests that are being answered, all together. */
  static final int MAX_BYTES_AT_ONCE = 16 * 1024 * 1024;

  /** Bytes of {@link #MAX_BYTES_AT_ONCE} of one caller: more than one body of the longest kind. */
  static final int SHARE = 5 << 20;

  /** Bytes of {@link #MAX_BYTES_AT_ONCE} that only callers with few bytes can take. */
  static final int RESERVED = MAX_BYTES_AT_ONCE / 4;

  /** The bytes of a caller with few. */
  static final int FEW = 64 << 10;

  private static final int BAD_REQUEST = 400;

  /** A form of 100 URLs of the longest kind, percent-encoded, fits. */
  public static final int MAX_FORM = 1 << 20;

  private static final int TOO_LARGE = 413;
  private static final int UNSUPPORTED = 415;
  private static final int UNAVAILABLE = 503;
  private static final String RETRY_AFTER_SECONDS = "10";
  private static final int STEP = 8 * 1024;

  private final Admission admission;

  /** The bytes taken by each caller; guarded by itself, like the sum. */
  private final Map<String, Integer> ofCallers = new HashMap<>();

  private int taken;

  /**
   * A decoder of such bodies.
   *
   * @param admission by which bodies are decompressed in the turn and the time of their caller
   */
  public CompressedBodies(Admission admission) {
    this.admission = admission;
  }

  /**
   * The same handler for bodies that are compressed or not.
   *
   * @param maxBody bytes of one body, decompressed; a longer one is answered 413
   */
  public Handler in(int maxBody, Handler handler) {
    return request -> {
      Optional<String> encoding =
          request
              .header("Content-Encoding")
              .map(text -> text.strip().toLowerCase(Locale.ROOT))
              .filter(text -> !text.isEmpty() && !text.equals("identity"));
      if (encoding.isEmpty()) {
        return handler.handle(request);
      }
      if (!List.of("gzip", "x-gzip").contains(encoding.get())) {
        return CompletableFuture.completedFuture(
            Response.text(UNSUPPORTED, "the Content-Encoding must be gzip\n")
                .withHeader("Accept-Encoding", "gzip"));
      }
      Optional<Refusal> refusal = admission.work(request);
      if (refusal.isPresent()) {
        return CompletableFuture.completedFuture(Admission.text(refusal.get()));
      }
      Room room = new Room(admission.key(request));
      return admission
          .inTurn(request, () -> decompressed(request, maxBody, room))
          .thenCompose(body -> body.in(request, handler))
          .whenComplete((response, failure) -> room.free());
    };
  }

  /** The result of decoding a body. */
  private sealed interface Body {
    CompletionStage<Response> in(Request request, Handler handler);

    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Whole(byte[] bytes) implements Body {
      @Override
      public CompletionStage<Response> in(Request request, Handler handler) {
        return handler.handle(request.withBody(bytes));
      }
    }

    record Refused(Response response) implements Body {
      @Override
      public CompletionStage<Response> in(Request request, Handler handler) {
        return CompletableFuture.completedFuture(response);
      }
    }
  }

  /** The bytes that one request has taken from the room of all; used by one thread at a time. */
  private final class Room {
    private final String caller;
    private int mine;

    Room(String caller) {
      this.caller = caller;
    }

    boolean take(int bytes) {
      synchronized (ofCallers) {
        int all = ofCallers.getOrDefault(caller, 0) + bytes;
        int most = all <= FEW ? MAX_BYTES_AT_ONCE : MAX_BYTES_AT_ONCE - RESERVED;
        if (all > SHARE || taken + bytes > most) {
          return false;
        }
        ofCallers.put(caller, all);
        taken += bytes;
        mine += bytes;
        return true;
      }
    }

    void free() {
      synchronized (ofCallers) {
        int left = ofCallers.getOrDefault(caller, 0) - mine;
        if (left > 0) {
          ofCallers.put(caller, left);
        } else {
          ofCallers.remove(caller);
        }
        taken -= mine;
        mine = 0;
      }
    }
  }

  private static Body decompressed(Request request, int maxBody, Room room) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(request.body()))) {
      byte[] step = new byte[STEP];
      for (int read = in.read(step); read >= 0; read = in.read(step)) {
        whole.write(step, 0, read);
        if (whole.size() > maxBody) {
          return new Body.Refused(
              Response.text(TOO_LARGE, "the body must not be longer than " + maxBody + " bytes\n"));
        }
        if (!room.take(read)) {
          return new Body.Refused(
              Response.text(UNAVAILABLE, "too much is being sent at once\n")
                  .withHeader("Retry-After", RETRY_AFTER_SECONDS));
        }
      }
      return new Body.Whole(whole.toByteArray());
    } catch (IOException e) {
      return new Body.Refused(
          Response.text(
              BAD_REQUEST, "the body is not gzip, although its Content-Encoding says so\n"));
    }
  }
}
