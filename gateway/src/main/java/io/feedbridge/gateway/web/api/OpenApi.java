package io.feedbridge.gateway.web.api;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** {@code /api/v1/openapi.json}: the API for programs that read about it. */
final class OpenApi {

  private static final int OK = 200;
  private static final String RESOURCE = "openapi.json";

  private OpenApi() {}

  /** {@code GET /openapi.json}. */
  static Response document(Request request) {
    try (InputStream in =
        Objects.requireNonNull(OpenApi.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      return Response.of(OK, "application/json", in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("the program's own file", e);
    }
  }
}
