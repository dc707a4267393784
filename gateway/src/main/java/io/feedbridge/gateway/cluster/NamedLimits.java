package io.feedbridge.gateway.cluster;

import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Response;
import java.util.function.UnaryOperator;

/**
 * Has each answer 429 name the node whose limit was met, since each node counts for itself.
 *
 * @param node the name of this node
 */
public record NamedLimits(String node) implements UnaryOperator<Handler> {

  /** The header field with the name of the node. */
  static final String HEADER = "Feedbridge-Node";

  private static final int TOO_MANY = 429;

  @Override
  public Handler apply(Handler handler) {
    return request -> handler.handle(request).thenApply(this::named);
  }

  private Response named(Response response) {
    return response.status() == TOO_MANY && !response.headers().contains(HEADER)
        ? response.withHeader(HEADER, node)
        : response;
  }
}
