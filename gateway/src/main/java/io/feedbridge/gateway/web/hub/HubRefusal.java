package io.feedbridge.gateway.web.hub;

import io.feedbridge.gateway.server.message.Response;

/** One of Superfeedr's calls is refused, with a reason as text/plain. */
final class HubRefusal extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int UNPROCESSABLE = 422;

  private final int status;

  private HubRefusal(int status, String reason) {
    super(reason);
    this.status = status;
  }

  /** The call itself is wrong. */
  static HubRefusal unprocessable(String reason) {
    return new HubRefusal(UNPROCESSABLE, reason);
  }

  /** The caller's login and token are not known. */
  static HubRefusal unauthorized() {
    return new HubRefusal(
        UNAUTHORIZED,
        "show a login and its token: by HTTP Basic, or in base64 as the query's authorization");
  }

  /** The caller is known and lacks a right, or no caller is allowed the call. */
  static HubRefusal forbidden(String reason) {
    return new HubRefusal(FORBIDDEN, reason);
  }

  /** There is nothing of the caller's that it is about. */
  static HubRefusal notFound(String reason) {
    return new HubRefusal(NOT_FOUND, reason);
  }

  Response response() {
    Response text = Response.text(status, getMessage() + "\n");
    return status == UNAUTHORIZED
        ? text.withHeader("WWW-Authenticate", "Basic realm=\"feedbridge\", charset=\"UTF-8\"")
        : text;
  }
}
