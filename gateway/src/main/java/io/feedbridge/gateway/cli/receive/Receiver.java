package io.feedbridge.gateway.cli.receive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.cli.receive.Received.Check;
import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.RouteOptions;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.ServerConfig;
import io.feedbridge.gateway.server.limits.ServerLimits;
import io.feedbridge.gateway.server.limits.ServerObserver;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.rsscloud.AggregatorRequest;
import io.feedbridge.rsscloud.ChallengeRequest;
import io.feedbridge.rsscloud.NotificationRequest;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.IntentRequest;
import io.feedbridge.websub.Signature;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A server whose every path takes the requests of hubs, clouds and webhooks. It confirms each
 * subscription that it is asked about, so that any gateway can be tried with it.
 */
final class Receiver implements AutoCloseable {

  /** The longest document that is taken, in bytes. */
  static final int MAX_BODY = 16 << 20;

  /** The most segments of a path. */
  private static final int SEGMENTS = 6;

  /** How far the time of a webhook's message may be off (Standard Webhooks). */
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private static final Duration LAST_REQUESTS = Duration.ofSeconds(1);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Optional<String> secret;
  private final Clock clock;
  private final Consumer<Received> shown;
  private final Transport transport = Transport.best();
  private final EventLoopGroup loops = transport.newGroup(1, "receive");
  private final HttpServer server;

  /**
   * A receiver that listens.
   *
   * @param secret of signatures: {@code whsec_…} for webhooks, other text for WebSub; empty for no
   *     check
   * @param shown gets each request, one at a time, before it is answered
   * @throws IOException if the address cannot be bound
   */
  Receiver(
      InetSocketAddress address, Optional<String> secret, Clock clock, Consumer<Received> shown)
      throws IOException {
    this.secret = secret;
    this.clock = clock;
    this.shown = shown;
    server =
        new HttpServer(
            new ServerConfig(
                loops,
                loops,
                transport.serverChannelClass(),
                routes(),
                ServerLimits.DEFAULT,
                ServerObserver.NONE,
                clock));
    boolean listens = false;
    try {
      server.start(address);
      listens = true;
    } finally {
      if (!listens) {
        close();
      }
    }
  }

  private Router routes() {
    Router.Builder routes = Router.builder();
    StringBuilder path = new StringBuilder();
    for (int i = 0; i <= SEGMENTS; i++) {
      String pattern = i == 0 ? "/" : path.append("/{s%d}".formatted(i)).toString();
      routes
          .route("GET", pattern, request -> done(question(request)))
          .route("POST", pattern, RouteOptions.anyBody(MAX_BODY), request -> done(post(request)));
    }
    return routes.build();
  }

  private static CompletionStage<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  /** The address that it listens on. */
  InetSocketAddress address() {
    return server.address();
  }

  private Response question(Request request) {
    IntentRequest intent = IntentRequest.parse(request.query());
    if (intent instanceof IntentRequest.Verify verify) {
      show("WebSub challenge, confirmed", request, verify.mode() + " " + verify.topic());
      return Response.text(200, verify.challenge());
    }
    if (intent instanceof IntentRequest.Denied denied) {
      show("WebSub denial", request, denied.topic() + ": " + denied.reason());
      return Response.text(200, "noted");
    }
    Optional<AggregatorRequest> asked = AggregatorRequest.parse("GET", request.query());
    if (asked.orElse(null) instanceof ChallengeRequest challenge) {
      show("rssCloud challenge, confirmed", request, challenge.url());
      return Response.text(200, challenge.challenge());
    }
    show("GET without a challenge", request, "");
    return Response.text(404, "this is a receiver of deliveries");
  }

  private void show(String kind, Request request, String text) {
    show(new Received(kind, request.path(), Check.NONE, "", text));
  }

  private synchronized void show(Received received) {
    shown.accept(received);
  }

  private Response post(Request request) {
    Optional<String> id = request.header("webhook-id");
    if (id.isPresent()) {
      return webhook(request, id.get());
    }
    if (request.header("Content-Type").orElse("").startsWith("application/x-www-form-urlencoded")
        && AggregatorRequest.parse("POST", request.form()).orElse(null)
            instanceof NotificationRequest changed) {
      show("delivery by rssCloud: this feed has changed", request, changed.url());
      return Response.text(200, "thanks");
    }
    return webSub(request);
  }

  private Response webSub(Request request) {
    Optional<String> signature = request.header(Delivery.SIGNATURE);
    Check check;
    if (secret.isEmpty()) {
      check = signature.isEmpty() ? Check.NONE : Check.UNKNOWN;
    } else if (signature.isEmpty()) {
      check = Check.MISSING;
    } else {
      check =
          Signature.verify(signature.get(), secret.get(), request.body()) ? Check.OK : Check.WRONG;
    }
    show(new Received("delivery by WebSub", request.path(), check, "", body(request)));
    // WebSub §8: also a delivery with a wrong signature is answered with success.
    return Response.noContent();
  }

  private Response webhook(Request request, String id) {
    Check check = check(request, id);
    JsonNode document = json(request);
    if (document.path("type").asText().equals("endpoint.verification") && !check.isBad()) {
      show(new Received("webhook challenge, confirmed", request.path(), check, id, ""));
      return Response.of(200, "application/json", request.body());
    }
    show(new Received("delivery by webhook", request.path(), check, id, body(request)));
    return check.isBad()
        ? Response.text(401, "the signature is missing or wrong")
        : Response.noContent();
  }

  private Check check(Request request, String id) {
    Optional<String> signature = request.header("webhook-signature");
    Optional<Long> at = request.header("webhook-timestamp").flatMap(Receiver::seconds);
    if (secret.isEmpty() || !secret.get().startsWith(WebhookSecret.PREFIX)) {
      return signature.isEmpty() ? Check.NONE : Check.UNKNOWN;
    }
    if (signature.isEmpty() || at.isEmpty()) {
      return Check.MISSING;
    }
    if (!WebhookSecret.parse(secret.get())
        .verifies(id, at.get(), request.body(), signature.get())) {
      return Check.WRONG;
    }
    long off = Math.abs(clock.instant().getEpochSecond() - at.get());
    return off > TOLERANCE.toSeconds() ? Check.LATE : Check.OK;
  }

  private static Optional<Long> seconds(String text) {
    return text.matches("\\d{1,15}") ? Optional.of(Long.valueOf(text)) : Optional.empty();
  }

  private static JsonNode json(Request request) {
    try {
      return MAPPER.readTree(body(request));
    } catch (JsonProcessingException e) {
      return MAPPER.missingNode();
    }
  }

  private static String body(Request request) {
    return new String(request.body(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    server.close(LAST_REQUESTS);
    loops
        .shutdownGracefully(0, LAST_REQUESTS.toMillis(), TimeUnit.MILLISECONDS)
        .awaitUninterruptibly();
  }
}
