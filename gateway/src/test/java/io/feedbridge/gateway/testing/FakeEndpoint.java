package io.feedbridge.gateway.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * An endpoint of JSON webhooks, on a path of a fake subscriber. It gives challenges back and takes
 * what it is sent, unless a test says otherwise.
 */
public final class FakeEndpoint {

  private static final String VERIFICATION = "endpoint.verification";

  private final FakeSubscriber subscriber;
  private final String path;
  private volatile Function<Request, CompletionStage<Response>> onMessage = answer(204);
  private volatile Function<Request, CompletionStage<Response>> onChallenge =
      request -> done(Response.text(200, json(request).path("challenge").asText()));

  /** On a path such as {@code one}. */
  public FakeEndpoint(FakeSubscriber subscriber, String path) {
    this.subscriber = subscriber;
    this.path = path;
    subscriber.answer(
        path, request -> (isChallenge(request) ? onChallenge : onMessage).apply(request));
  }

  /** Where it is. */
  public String url() {
    return subscriber.url(path);
  }

  /** Challenges are answered with this from now on. */
  public void onChallenge(int status, String body) {
    onChallenge = request -> done(Response.text(status, body));
  }

  /** Challenges are given back, as at first. */
  public void confirm() {
    onChallenge = request -> done(Response.text(200, json(request).path("challenge").asText()));
  }

  /** Messages are answered with this status from now on. */
  public void onMessage(int status) {
    onMessage = answer(status);
  }

  /** Messages are answered as this says from now on. */
  public void onMessage(Function<Request, CompletionStage<Response>> behaviour) {
    onMessage = behaviour;
  }

  /** The challenges that it was sent. */
  public List<Request> challenges() {
    return subscriber.received(path).stream().filter(FakeEndpoint::isChallenge).toList();
  }

  /** What else it was sent, whatever it answered. */
  public List<Request> messages() {
    return subscriber.received(path).stream().filter(request -> !isChallenge(request)).toList();
  }

  /** So many messages, once they are there. */
  public List<Request> messages(int count) {
    World.until(() -> messages().size() >= count);
    return messages();
  }

  /** The ids of the entries in a message. */
  public static List<String> entries(Request message) {
    List<String> ids = new ArrayList<>();
    json(message).path("items").forEach(item -> ids.add(item.path("id").asText()));
    return ids;
  }

  /** A header that must be there. */
  public static String header(Request message, String name) {
    return message.headers().first(name).orElseThrow(() -> new AssertionError("no " + name));
  }

  /** The body of a message. */
  public static JsonNode json(Request message) {
    try {
      return new ObjectMapper().readTree(message.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isChallenge(Request request) {
    return json(request).path("type").asText().equals(VERIFICATION);
  }

  private static Function<Request, CompletionStage<Response>> answer(int status) {
    return request -> done(Response.empty(status));
  }

  private static CompletionStage<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }
}
