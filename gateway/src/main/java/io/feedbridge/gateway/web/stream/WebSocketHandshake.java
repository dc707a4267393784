package io.feedbridge.gateway.web.stream;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Answers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/** The opening handshake of WebSocket as a server takes it (RFC 6455 §4.2). */
final class WebSocketHandshake {

  private static final int FORBIDDEN = 403;
  private static final int UPGRADE_REQUIRED = 426;
  private static final int KEY_BYTES = 16;
  private static final String VERSION = "13";
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private WebSocketHandshake() {}

  /** The value of {@code Sec-WebSocket-Accept}; empty for a request that is no handshake. */
  static Optional<String> accept(Request request) {
    boolean asks =
        has(request, "Upgrade", "websocket")
            && has(request, "Connection", "upgrade")
            && request.header("Sec-WebSocket-Version").filter(VERSION::equals).isPresent();
    return asks
        ? request
            .header("Sec-WebSocket-Key")
            .filter(WebSocketHandshake::isKey)
            .map(WebSocketHandshake::accept)
        : Optional.empty();
  }

  private static boolean has(Request request, String name, String token) {
    return request.headers().all(name).stream()
        .flatMap(value -> Arrays.stream(value.split(",", -1)))
        .anyMatch(value -> value.strip().equalsIgnoreCase(token));
  }

  private static boolean isKey(String key) {
    try {
      return Base64.getDecoder().decode(key).length == KEY_BYTES;
    } catch (IllegalArgumentException noBase64) {
      return false;
    }
  }

  private static String accept(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-1")
              .digest((key + GUID).getBytes(StandardCharsets.US_ASCII));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }

  /** The answer to a request that is no handshake of this version. */
  static Response required() {
    return Answers.problem(UPGRADE_REQUIRED, "this path speaks WebSocket, version 13, alone")
        .withHeader("Upgrade", "websocket")
        .withHeader("Sec-WebSocket-Version", VERSION);
  }

  /** The answer to a page of another site (RFC 6455 §10.2). */
  static Response otherSite() {
    return Answers.problem(FORBIDDEN, "a page of another site asks for the stream");
  }
}
