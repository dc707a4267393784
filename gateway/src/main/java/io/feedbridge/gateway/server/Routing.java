package io.feedbridge.gateway.server;

import io.feedbridge.gateway.server.limits.Outbound;
import io.feedbridge.gateway.server.message.BadRequestException;
import io.feedbridge.gateway.server.message.Response;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Finds the route from the head alone, so that the body's bound is the route's own and a request
 * that will be refused is refused before its body is read. An {@link Admitted} takes the place of
 * an admitted request's head.
 */
@Sharable
final class Routing extends ChannelInboundHandlerAdapter {
  /** The head of a request that a route takes. */
  record Admitted(HttpRequest head, Target target, Router.Outcome.Found found) {}

  private final Supplier<Router> router;

  Routing(Supplier<Router> router) {
    this.router = router;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof HttpRequest head)) {
      ctx.fireChannelRead(message);
      return;
    }
    try {
      route(ctx, head);
    } catch (BadRequestException e) {
      ReferenceCountUtil.release(message);
      Outbound.send(ctx, Response.text(400, e.reason()));
    }
  }

  private void route(ChannelHandlerContext ctx, HttpRequest head) {
    String method = head.method().name();
    Router router = this.router.get();
    if (!router.knows(method)) {
      // RFC 9110 §15.6.2: no resource here supports it. CONNECT and TRACE are meant above all.
      Outbound.send(ctx, Response.text(501, "this server does not implement the method"));
      return;
    }
    Target target = Target.parse(head.uri());
    Router.Outcome outcome = router.find(method, target);
    if (outcome instanceof Router.Outcome.Found found) {
      ctx.channel().attr(Observation.ROUTE).set(found.route().pattern());
      Optional<Response> refusal = refusal(head, found.route());
      if (refusal.isPresent()) {
        Outbound.send(ctx, refusal.get());
      } else {
        ctx.fireChannelRead(new Admitted(head, target, found));
      }
    } else if (outcome instanceof Router.Outcome.NoSuchMethod other) {
      ctx.channel().attr(Observation.ROUTE).set(other.pattern());
      Outbound.send(
          ctx,
          router
              .refusals(target)
              .of(405, "this method is not allowed here")
              .withHeader("Allow", other.allow()));
    } else if (outcome instanceof Router.Outcome.Options options) {
      ctx.channel().attr(Observation.ROUTE).set(options.pattern());
      Outbound.send(ctx, Response.noContent().withHeader("Allow", options.allow()));
    } else {
      Outbound.send(ctx, router.notFound(target));
    }
  }

  private static Optional<Response> refusal(HttpRequest head, Router.Route route) {
    RouteOptions options = route.options();
    long length = HttpUtil.getContentLength(head, 0L);
    boolean hasBody = length > 0 || HttpUtil.isTransferEncodingChunked(head);
    if (length > options.maxBody()) {
      return Optional.of(BodyCollector.tooLarge(route));
    }
    List<String> types = head.headers().getAll(HttpHeaderNames.CONTENT_TYPE);
    if (hasBody && (types.size() > 1 || !options.takes(types.stream().findFirst()))) {
      return Optional.of(
          route
              .refusals()
              .of(
                  415,
                  "the body must be "
                      + String.join(" or ", options.contentTypes().stream().sorted().toList())));
    }
    return Optional.empty();
  }
}
