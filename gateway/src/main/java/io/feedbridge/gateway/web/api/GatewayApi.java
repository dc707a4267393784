package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Answers;
import java.io.IOException;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/gateway}: the node that answers, and its place. */
final class GatewayApi {

  private static final int OK = 200;

  private final ApiReads.About about;

  GatewayApi(ApiReads.About about) {
    this.about = about;
  }

  /**
   * The answer.
   *
   * @param data the data folder, on the node's machine
   * @param freeBytes on the disk of that folder; null where the system does not tell
   */
  record View(String version, String publicUrl, String data, @Nullable Long freeBytes) {}

  /** {@code GET /gateway}. */
  Response get(Request request) {
    return Answers.json(
        OK,
        new View(
            about.version(),
            about.publicUrl().toString(),
            about.data().toAbsolutePath().toString(),
            freeBytes()));
  }

  private @Nullable Long freeBytes() {
    try {
      return Files.getFileStore(about.data()).getUsableSpace();
    } catch (IOException untold) {
      return null;
    }
  }
}
