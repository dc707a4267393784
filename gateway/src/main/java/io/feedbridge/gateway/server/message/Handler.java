package io.feedbridge.gateway.server.message;

import io.feedbridge.gateway.server.limits.ServerLimits;
import java.util.concurrent.CompletionStage;

/**
 * Answers the requests of a route. It is called on an event loop, by several of them at once, and
 * must not block; work that does belongs into a pool of its own. The stage may complete on any
 * thread.
 *
 * <p>{@link BadRequestException} is answered 400, anything else thrown 500 without a word of it to
 * the client. After {@link ServerLimits#handlerTime} the client is told 503 and the stage is
 * cancelled.
 */
@FunctionalInterface
public interface Handler {
  /** Answers one request. */
  CompletionStage<Response> handle(Request request);
}
