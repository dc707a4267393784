package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.message.Headers;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Calls routes from within the process, as if the requests had come over the network: a path that
 * is not there and a body that is too large are refused in the same way. Safe for any number of
 * threads.
 */
public final class LocalCalls {

  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int TOO_LARGE = 413;

  private static final InetSocketAddress HERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final Router router;

  public LocalCalls(Router router) {
    this.router = router;
  }

  /**
   * Calls a route.
   *
   * @param target the path and the query, percent-encoded
   * @param contentType of the body; ignored where the body is empty
   * @throws io.feedbridge.gateway.server.message.BadRequestException if the target is malformed
   */
  public CompletionStage<Response> call(
      String method, String target, String contentType, byte[] body) {
    Target parsed = Target.parse(target);
    Optional<Router.Outcome.Found> found =
        Optional.of(router.find(method, parsed))
            .filter(Router.Outcome.Found.class::isInstance)
            .map(Router.Outcome.Found.class::cast);
    if (found.isEmpty()) {
      int status =
          router.find(method, parsed) instanceof Router.Outcome.NoSuchMethod
              ? NOT_ALLOWED
              : NOT_FOUND;
      return refused(router, parsed, status, "there is no such call");
    }
    if (body.length > found.get().route().options().maxBody()) {
      return refused(router, parsed, TOO_LARGE, "the body is too large");
    }
    Headers headers = body.length == 0 ? Headers.none() : Headers.of("Content-Type", contentType);
    return found
        .get()
        .route()
        .handler()
        .handle(
            new Request(
                method,
                parsed.path(),
                parsed.rawPath(),
                parsed.rawQuery(),
                parsed.query(),
                headers,
                body,
                HERE,
                found.get().variables()));
  }

  private static CompletionStage<Response> refused(
      Router router, Target target, int status, String reason) {
    return CompletableFuture.completedFuture(router.refusals(target).of(status, reason));
  }
}
