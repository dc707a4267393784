package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.websub.Delivery;
import io.feedbridge.websub.ExpectedIntent;
import io.feedbridge.websub.HubAnswer;
import io.feedbridge.websub.IntentRequest;
import io.feedbridge.websub.RandomToken;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SubscriptionForm;
import io.feedbridge.websub.SubscriptionMode;
import io.feedbridge.websub.VerifyToken;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber that speaks only WebSub. It believes content signed with its secret, and never
 * fetches.
 */
final class DemoSubscriber implements AutoCloseable {

  private static final Duration LEASE = Duration.ofDays(1);

  private final LoopbackNet net;
  private final Journal journal;
  private final Arrivals arrivals;
  private final SecureRandom random = new SecureRandom();
  private final byte[] tokenKey = RandomToken.next(random).getBytes(StandardCharsets.US_ASCII);
  private final FeedParser parser = new FeedParser();
  private final HttpServer server;

  /** Subscriptions by the last segment of their callbacks. */
  private final Map<String, Subscription> subscriptions = new ConcurrentHashMap<>();

  private record Subscription(Source source, ExpectedIntent intent, String secret) {
    @Override
    public String toString() {
      return "Subscription[" + source + "]";
    }
  }

  DemoSubscriber(LoopbackNet net, Journal journal, Arrivals arrivals) throws IOException {
    this.net = net;
    this.journal = journal;
    this.arrivals = arrivals;
    server =
        net.serve(
            Router.builder()
                .route("GET", "/{id}", this::confirm)
                .route("POST", "/{id}", LoopbackNet.BODY, this::receive)
                .build());
  }

  String url() {
    return LoopbackNet.url(server);
  }

  /**
   * Asks a hub for a topic. The hub will then ask back at the callback.
   *
   * @return fails if the hub will not
   */
  CompletableFuture<Void> subscribe(String hub, Source source, String topic) {
    String id = RandomToken.next(random);
    String secret = RandomToken.next(random);
    String verifyToken = VerifyToken.of(tokenKey, topic);
    subscriptions.put(
        id,
        new Subscription(
            source, new ExpectedIntent(SubscriptionMode.SUBSCRIBE, topic, verifyToken), secret));
    SubscriptionForm form =
        SubscriptionForm.subscribe(
            url() + "/" + id, topic, verifyToken, LEASE, Optional.of(secret));
    return net.postForm(hub, form.body()).thenAccept(DemoSubscriber::requireAccepted);
  }

  private static void requireAccepted(Reply reply) {
    HubAnswer answer = HubAnswer.of(reply.status(), reply.headers().first("Location").orElse(null));
    if (!(answer instanceof HubAnswer.Accepted)) {
      throw new IllegalStateException("the hub refused to subscribe: HTTP " + reply.status());
    }
  }

  /** WebSub §5.3: the hub's question whether the subscriber meant it. */
  private CompletionStage<Response> confirm(Request request) {
    Subscription subscription = subscription(request);
    if (subscription != null
        && IntentRequest.parse(request.query()) instanceof IntentRequest.Verify question
        && question.matches(subscription.intent)) {
      return CompletableFuture.completedFuture(Response.text(200, question.challenge()));
    }
    return CompletableFuture.completedFuture(Response.text(404, "not asked for"));
  }

  private CompletionStage<Response> receive(Request request) {
    Subscription subscription = subscription(request);
    if (subscription == null) {
      return CompletableFuture.completedFuture(Response.text(404, "not asked for"));
    }
    String signature = request.header(Delivery.SIGNATURE).orElse(null);
    if (Signature.verify(signature, subscription.secret, request.body())) {
      read(subscription, request);
    } else {
      journal.say(Actor.SUBSCRIBER, "← a delivery with a wrong signature, not believed");
    }
    // WebSub §8: a delivery with a wrong signature is acknowledged too, so that its sender learns
    // nothing.
    return CompletableFuture.completedFuture(Response.noContent());
  }

  private void read(Subscription subscription, Request delivery) {
    Crossing crossing = new Crossing(subscription.source, Protocol.WEBSUB);
    String contentType = delivery.header("Content-Type").orElse("");
    try {
      Feed news =
          parser.parse(delivery.body(), contentType, URI.create(subscription.intent.topic()));
      for (Entry entry : news.entries()) {
        String title = String.valueOf(entry.title());
        Instant at =
            journal.say(
                Actor.SUBSCRIBER,
                "← gateway: signed %s, signature ok, entry “%s”"
                    .formatted(contentType.contains("atom") ? "Atom" : contentType, title),
                crossing);
        arrivals.arrived(crossing, title, at);
      }
    } catch (FeedParseException e) {
      journal.say(Actor.SUBSCRIBER, "← something unreadable: " + e.getMessage());
    }
  }

  private @Nullable Subscription subscription(Request request) {
    return subscriptions.get(request.pathVariables().getOrDefault("id", ""));
  }

  @Override
  public void close() {
    server.close(Duration.ZERO);
  }
}
