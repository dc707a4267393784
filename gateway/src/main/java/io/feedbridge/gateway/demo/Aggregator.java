package io.feedbridge.gateway.demo;

import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.server.HttpServer;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.subscriptions.Protocol;
import io.feedbridge.normalizer.Entry;
import io.feedbridge.normalizer.FeedParseException;
import io.feedbridge.normalizer.FeedParser;
import io.feedbridge.rsscloud.AggregatorRequest;
import io.feedbridge.rsscloud.BadResultException;
import io.feedbridge.rsscloud.ChallengeRequest;
import io.feedbridge.rsscloud.CloudProtocol;
import io.feedbridge.rsscloud.NotificationRequest;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.RegistrationRequest;
import io.feedbridge.websub.RandomToken;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An aggregator that speaks only rssCloud. A notification that a feed has changed makes it fetch
 * that feed, and nothing more: any host could have sent the notification.
 */
final class Aggregator implements AutoCloseable {

  private final LoopbackNet net;
  private final Journal journal;
  private final Arrivals arrivals;
  private final SecureRandom random = new SecureRandom();
  private final FeedParser parser = new FeedParser();
  private final HttpServer server;

  /** Registrations by the last segment of their callbacks. */
  private final Map<String, Registered> registrations = new ConcurrentHashMap<>();

  private record Registered(Source source, String feed, Set<String> seen) {}

  Aggregator(LoopbackNet net, Journal journal, Arrivals arrivals) throws IOException {
    this.net = net;
    this.journal = journal;
    this.arrivals = arrivals;
    server =
        net.serve(
            Router.builder()
                .route("GET", "/{id}", this::confirm)
                .route("POST", "/{id}", LoopbackNet.BODY, this::hear)
                .build());
  }

  String url() {
    return LoopbackNet.url(server);
  }

  /**
   * Reads a feed, then registers for it at a cloud, which tests the callback before it answers.
   *
   * @return fails if the cloud refuses
   */
  CompletableFuture<Void> register(String cloud, Source source, String feed) {
    String id = RandomToken.next(random);
    Registered registered = new Registered(source, feed, ConcurrentHashMap.newKeySet());
    registrations.put(id, registered);
    String form =
        RegistrationRequest.of(CloudProtocol.HTTP_POST, URI.create(url()), "/" + id, feed).form();
    return net.get(feed)
        .thenAccept(reply -> fresh(registered, reply))
        .thenCompose(read -> net.postForm(cloud, form))
        .thenAccept(Aggregator::requireSuccess);
  }

  private static void requireSuccess(Reply reply) {
    try {
      NotifyResult result = NotifyResult.parse(reply.body());
      if (!result.success()) {
        throw new IllegalStateException("the cloud refused to register: " + result.msg());
      }
    } catch (BadResultException e) {
      throw new IllegalStateException("the cloud gave no answer: HTTP " + reply.status(), e);
    }
  }

  /** The cloud's test of a registration that names its domain: give the challenge back. */
  private CompletionStage<Response> confirm(Request request) {
    Registered registered = registered(request);
    Optional<String> challenge =
        AggregatorRequest.parse("GET", request.query())
            .filter(asked -> registered != null && asked.url().equals(registered.feed))
            .map(asked -> asked instanceof ChallengeRequest test ? test.challenge() : "");
    return CompletableFuture.completedFuture(
        challenge
            .map(text -> Response.text(200, text))
            .orElseGet(() -> Response.text(404, "not asked for")));
  }

  private CompletionStage<Response> hear(Request request) {
    Registered registered = registered(request);
    Optional<AggregatorRequest> told = AggregatorRequest.parse("POST", request.form());
    if (registered == null
        || told.isEmpty()
        || !(told.get() instanceof NotificationRequest notification)
        || !notification.url().equals(registered.feed)) {
      return CompletableFuture.completedFuture(Response.text(404, "not asked for"));
    }
    var unused =
        net.get(registered.feed)
            .whenComplete(
                (reply, failure) -> {
                  if (failure != null || !reply.successful()) {
                    journal.say(Actor.AGGREGATOR, "could not fetch " + registered.source.file());
                  } else {
                    report(registered, reply);
                  }
                });
    return CompletableFuture.completedFuture(Response.noContent());
  }

  private void report(Registered registered, Reply reply) {
    Crossing crossing = new Crossing(registered.source, Protocol.RSSCLOUD);
    for (Entry entry : fresh(registered, reply)) {
      String title = String.valueOf(entry.title());
      Instant at =
          journal.say(
              Actor.AGGREGATOR,
              "← gateway: “%s has changed”; fetches it, finds “%s”"
                  .formatted(registered.source.file(), title),
              crossing);
      arrivals.arrived(crossing, title, at);
    }
  }

  /** The entries of the feed that were not there before. */
  private List<Entry> fresh(Registered registered, Reply reply) {
    try {
      String contentType = reply.headers().first("Content-Type").orElse(null);
      return parser.parse(reply.body(), contentType, URI.create(registered.feed)).entries().stream()
          .filter(entry -> registered.seen.add(entry.id()))
          .toList();
    } catch (FeedParseException e) {
      journal.say(Actor.AGGREGATOR, "fetched something unreadable: " + e.getMessage());
      return List.of();
    }
  }

  private @Nullable Registered registered(Request request) {
    return registrations.get(request.pathVariables().getOrDefault("id", ""));
  }

  @Override
  public void close() {
    server.close(Duration.ZERO);
  }
}
