package io.feedbridge.gateway.testing;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * Any number of subscribers of both protocols, one per path, on WireMock. By default each confirms
 * whatever it is asked and takes whatever it is sent; a test can give a path another behaviour.
 */
public final class FakeSubscriber implements AutoCloseable {

  /** The names of the threads that answer begin so; a request that hangs holds one. */
  public static final String THREADS = StubServer.THREADS;

  private final StubServer server;
  private final Map<String, List<Request>> asked = new ConcurrentHashMap<>();
  private final Map<String, List<Request>> received = new ConcurrentHashMap<>();
  private final Map<String, Function<Request, CompletionStage<Response>>> onDelivery =
      new ConcurrentHashMap<>();
  private final Map<String, Function<Request, CompletionStage<Response>>> onQuestion =
      new ConcurrentHashMap<>();

  /** On a free port. */
  public FakeSubscriber() {
    this(0);
  }

  private FakeSubscriber(int port) {
    server =
        new StubServer(
            "127.0.0.1", port, request -> serve(request).thenApply(StubServer::definition));
  }

  /** On a port at which nobody listened before, so that a dead host comes to life. */
  public static FakeSubscriber on(int port) {
    return new FakeSubscriber(port);
  }

  /** The callback of a path such as {@code one}. */
  public String url(String path) {
    return server.url() + "/" + path;
  }

  /** The port, for rssCloud registrations. */
  public int port() {
    return server.port();
  }

  /** Deliveries to a path are answered with this status from now on. */
  public void answer(String path, int status) {
    onDelivery.put(path, request -> done(Response.empty(status)));
  }

  /** Deliveries to a path are answered as this says from now on; a stage that never ends hangs. */
  public void answer(String path, Function<Request, CompletionStage<Response>> behaviour) {
    onDelivery.put(path, behaviour);
  }

  /** Verifications and challenges at a path are answered as this says from now on. */
  public void onQuestion(String path, Function<Request, CompletionStage<Response>> behaviour) {
    onQuestion.put(path, behaviour);
  }

  /** What was asked by GET: verifications, denials, challenges. */
  public List<Request> asked(String path) {
    return List.copyOf(asked.getOrDefault(path, List.of()));
  }

  /** What was sent by POST, whatever it was answered. */
  public List<Request> received(String path) {
    return List.copyOf(received.getOrDefault(path, List.of()));
  }

  /** The bodies of what was sent by POST. */
  public List<String> bodies(String path) {
    return received(path).stream()
        .map(request -> new String(request.body(), StandardCharsets.UTF_8))
        .toList();
  }

  private CompletionStage<Response> serve(Request request) {
    String path = request.path().substring(1);
    if (path.isEmpty()) {
      return done(Response.text(404, "no subscriber has the root"));
    }
    if (request.method().equals("GET")) {
      add(asked, path, request);
      return onQuestion.getOrDefault(path, FakeSubscriber::confirm).apply(request);
    }
    add(received, path, request);
    return onDelivery.getOrDefault(path, any -> done(Response.noContent())).apply(request);
  }

  private static void add(Map<String, List<Request>> to, String path, Request request) {
    to.computeIfAbsent(path, any -> new CopyOnWriteArrayList<>()).add(request);
  }

  /** Gives the challenge back, of whichever protocol. */
  public static CompletionStage<Response> confirm(Request request) {
    List<String> challenge =
        request.query().getOrDefault("hub.challenge", request.query().get("challenge"));
    return done(Response.text(200, challenge == null ? "" : challenge.get(0)));
  }

  private static CompletionStage<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  @Override
  public void close() {
    server.close();
  }
}
