package io.feedbridge.gateway.server.message;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A final response, whole or {@link #live}, or the last one before {@link #webSocket}. Immutable,
 * so one may be kept and sent many times. {@code Content-Length}, {@code Date}, {@code
 * Transfer-Encoding} and the persistence of the connection are the server's to write; {@code
 * Connection: close} asks it to close.
 */
public final class Response {
  /** The status of {@link #webSocket}. */
  public static final int SWITCHING_PROTOCOLS = 101;

  private static final String TEXT = "text/plain; charset=utf-8";
  private static final int FIRST_FINAL_STATUS = 200;
  private static final int LAST_STATUS = 599;
  private static final byte[] EMPTY = {};

  private final int status;
  private final Headers headers;
  private final byte[] body;
  private final @Nullable Consumer<Outflow> live;

  private Response(int status, Headers headers, byte[] body) {
    this(status, headers, body, null);
  }

  private Response(int status, Headers headers, byte[] body, @Nullable Consumer<Outflow> live) {
    boolean isFinal =
        status >= FIRST_FINAL_STATUS || (status == SWITCHING_PROTOCOLS && live != null);
    if (!isFinal || status > LAST_STATUS) {
      throw new IllegalArgumentException("no final status: " + status);
    }
    if (body.length > 0 && !mayHaveBody(status)) {
      throw new IllegalArgumentException("a response of status " + status + " has no body");
    }
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.live = live;
  }

  /**
   * A 200 whose content comes into being while it is sent. It is the last response of its
   * connection, and is cut off when the server stops.
   *
   * @param content begins to write once the head was sent: called on the event loop, once for each
   *     time that the response is sent, never for HEAD; must not block
   * @throws IllegalArgumentException if the type holds control characters
   */
  public static Response live(String contentType, Consumer<Outflow> content) {
    return new Response(200, Headers.of("Content-Type", contentType), EMPTY, content);
  }

  /**
   * A 101, behind which both sides speak WebSocket: the content is made of {@link Frames}. Pings
   * and the last frame of the client are answered by the server.
   *
   * @param accept the value of {@code Sec-WebSocket-Accept} (RFC 6455 §4.2.2)
   * @param content as of {@link #live(String, Consumer)}; it writes its own last frame
   */
  public static Response webSocket(String accept, Consumer<Outflow> content) {
    Headers headers =
        Headers.of("Upgrade", "websocket")
            .with("Connection", "Upgrade")
            .with("Sec-WebSocket-Accept", accept);
    return new Response(SWITCHING_PROTOCOLS, headers, EMPTY, content);
  }

  /**
   * The same head with a content that comes into being while it is sent, as of {@link #live(String,
   * Consumer)}.
   *
   * @throws IllegalStateException if this has a content, or its status allows none
   */
  public Response writtenBy(Consumer<Outflow> content) {
    if (body.length > 0 || !mayHaveBody(status)) {
      throw new IllegalStateException("a response of status " + status + " gets no other content");
    }
    return new Response(status, headers, EMPTY, content);
  }

  /**
   * A text/plain response.
   *
   * @throws IllegalArgumentException if the status is none between 200 and 599, or allows no body
   */
  public static Response text(int status, String reason) {
    return new Response(
        status, Headers.of("Content-Type", TEXT), reason.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * A response with that content. The bytes are not copied: leave them unchanged.
   *
   * @throws IllegalArgumentException if the status is none between 200 and 599 or allows no body,
   *     or the type holds control characters
   */
  public static Response of(int status, String contentType, byte[] body) {
    return new Response(status, Headers.of("Content-Type", contentType), body);
  }

  /** 204. */
  public static Response noContent() {
    return empty(204);
  }

  /**
   * A response with no content, such as a redirect.
   *
   * @throws IllegalArgumentException if the status is none between 200 and 599
   */
  public static Response empty(int status) {
    return new Response(status, Headers.none(), EMPTY);
  }

  /**
   * With this field in place of any of that name.
   *
   * @throws IllegalArgumentException if the name is no token or the value holds control characters
   *     (response splitting)
   */
  public Response withHeader(String name, String value) {
    return new Response(status, headers.with(name, value), body, live);
  }

  /**
   * With one more field line of that name, such as a second {@code Link}.
   *
   * @throws IllegalArgumentException as {@link #withHeader}
   */
  public Response plusHeader(String name, String value) {
    return new Response(status, headers.plus(name, value), body, live);
  }

  /** After which the server closes the connection (RFC 9112 §9.6). */
  public Response closing() {
    return withHeader("Connection", "close");
  }

  public boolean isClosing() {
    return headers.all("Connection").stream().anyMatch("close"::equalsIgnoreCase);
  }

  /** The writer of the content; null if the content is {@link #body}. */
  public @Nullable Consumer<Outflow> live() {
    return live;
  }

  /** RFC 9110 §6.4.1: 204 and 304 have no content, and 204 no Content-Length either. */
  public static boolean mayHaveBody(int status) {
    return status != 204 && status != 304;
  }

  /** The status code, 200 to 599. */
  public int status() {
    return status;
  }

  /** The header fields without the fields that the server writes itself. */
  public Headers headers() {
    return headers;
  }

  /** The content; not a copy, so to be left unchanged. */
  public byte[] body() {
    return body;
  }

  /** The content as UTF-8. */
  public String bodyAsText() {
    return new String(body, StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return status + " " + headers + " " + body.length + " bytes";
  }
}
