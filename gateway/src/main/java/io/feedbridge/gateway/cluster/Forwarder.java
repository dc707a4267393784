package io.feedbridge.gateway.cluster;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.server.message.Handler;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes requests to the node that owns the store, with everything that the client sent, and its
 * answers back. A request is passed on once: a node that got it from another node refuses it. Never
 * blocks; safe for use by several threads.
 */
public final class Forwarder implements Handler {

  private static final Logger log = LoggerFactory.getLogger(Forwarder.class);

  /** The requests that are passed on at once. */
  static final int MAX_AT_ONCE = 256;

  /** The requests of one caller that are passed on at once. */
  static final int MAX_OF_ONE = 64;

  /** The longest wait for a connection to the owner. */
  static final Duration CONNECT_WAIT = Duration.ofSeconds(3);

  /** Less than the time that the server gives a handler, so that the client learns the reason. */
  static final Duration ANSWER_WAIT = Duration.ofSeconds(55);

  /** The longest wait for a short answer as a whole. */
  static final Duration WHOLE_WAIT = Duration.ofSeconds(57);

  private static final int BAD_GATEWAY = 502;
  private static final int GATEWAY_TIMEOUT = 504;

  /**
   * Seconds of a planned handover: an owner stops within 10 s, a standby looks each second, and its
   * gateway starts within seconds.
   */
  public static final String RETRY_AFTER = "15";

  /** Seconds until there may be room for a caller's next request. */
  private static final String RETRY_SOON = "1";

  /** Fields that are about one connection, or that Java's client writes by itself. */
  private static final Set<String> NOT_PASSED =
      Passage.namesOf(
          "Connection",
          "Content-Length",
          "Expect",
          "Host",
          "Keep-Alive",
          "Proxy-Authorization",
          "Proxy-Connection",
          "TE",
          "Trailer",
          "Transfer-Encoding",
          "Upgrade",
          ForwardedRequests.HEADER);

  private final Function<Request, String> caller;
  private final HttpClient client;

  /** The answers that the owner owes. */
  private final Map<Object, CompletableFuture<Response>> owed = new ConcurrentHashMap<>();

  private volatile Optional<Owner> owner = Optional.empty();
  private final Permits<String, Void> permits =
      new Permits<>(Permits.Bounds.of(MAX_OF_ONE, MAX_AT_ONCE));

  /**
   * The node that owns the store.
   *
   * @param name of the node
   * @param address scheme, host and port, under which other nodes reach it
   * @param requests signs for requests to it
   */
  public record Owner(String name, String address, ForwardedRequests requests) {}

  /**
   * A forwarder without connections.
   *
   * @param caller the key of a request's caller, which has a share
   * @param threads on which answers are passed on, for tasks that do not block
   */
  public Forwarder(Function<Request, String> caller, Executor threads) {
    this.caller = caller;
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_WAIT)
            .executor(threads)
            .build();
  }

  /**
   * From now on requests go to this owner. Requests that wait for the answer of another owner are
   * answered at once: it may be suspended.
   *
   * @param now empty while no owner is known
   */
  public void to(Optional<Owner> now) {
    boolean other = !now.map(Owner::address).equals(owner.map(Owner::address));
    owner = now;
    if (other) {
      owed.values()
          .forEach(answer -> answer.complete(lost("another node owns the store now", BAD_GATEWAY)));
    }
  }

  /** Whether an owner is known. */
  public boolean knowsOwner() {
    return owner.isPresent();
  }

  @Override
  public CompletionStage<Response> handle(Request request) {
    if (request.header(ForwardedRequests.HEADER).isPresent()) {
      return refused("the node that got this request does not own the store any more");
    }
    Optional<Owner> to = owner;
    if (to.isEmpty()) {
      return refused("no node owns the store at the moment, or its address is not known yet");
    }
    String from = caller.apply(request);
    if (!permits.tryTake(from)) {
      return CompletableFuture.completedFuture(
          Response.text(503, "too many requests are being passed to the node that owns the store")
              .withHeader("Retry-After", RETRY_SOON));
    }
    CompletableFuture<Response> answer = pass(request, to.get());
    Object call = new Object();
    owed.put(call, answer);
    return answer
        .exceptionally(failure -> failed(to.get(), failure))
        .whenComplete(
            (response, failure) -> {
              owed.remove(call);
              permits.giveBack(from);
            });
  }

  private CompletableFuture<Response> pass(Request request, Owner to) {
    HttpRequest.Builder passed;
    try {
      passed =
          HttpRequest.newBuilder(new URI(to.address() + ForwardedRequests.target(request)))
              .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(request.body()))
              .timeout(ANSWER_WAIT)
              .header(ForwardedRequests.HEADER, to.requests().header(request));
      for (Map.Entry<String, List<String>> field : request.headers().asMap().entrySet()) {
        if (!NOT_PASSED.contains(field.getKey())) {
          field.getValue().forEach(value -> passed.header(field.getKey(), value));
        }
      }
    } catch (URISyntaxException | IllegalArgumentException e) {
      return CompletableFuture.completedFuture(
          Response.text(400, "the request cannot be passed on: " + e.getMessage()));
    }
    CompletableFuture<Response> answer = new CompletableFuture<>();
    var unused =
        client
            .sendAsync(passed.build(), HttpResponse.BodyHandlers.ofPublisher())
            .whenComplete(
                (head, failure) -> {
                  if (failure == null) {
                    head.body().subscribe(new Passage(head, answer));
                  } else {
                    answer.completeExceptionally(failure);
                  }
                });
    return answer.orTimeout(WHOLE_WAIT.toSeconds(), TimeUnit.SECONDS);
  }

  private static Response failed(Owner to, Throwable thrown) {
    Throwable failure =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    log.atWarn()
        .addKeyValue("owner", to.name())
        .addKeyValue("address", to.address())
        .addKeyValue("reason", failure.toString())
        .log("A request could not be passed to the owner");
    if (failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException) {
      return unavailable("the node %s, which owns the store, is not reached".formatted(to.name()));
    }
    return lost(
        "the node %s, which owns the store, gave no answer".formatted(to.name()),
        failure instanceof HttpTimeoutException || failure instanceof TimeoutException
            ? GATEWAY_TIMEOUT
            : BAD_GATEWAY);
  }

  private static Response lost(String why, int status) {
    return Response.text(status, why + ": the request may have taken effect")
        .withHeader("Retry-After", RETRY_AFTER);
  }

  private static CompletableFuture<Response> refused(String why) {
    return CompletableFuture.completedFuture(unavailable(why));
  }

  private static Response unavailable(String why) {
    return Response.text(503, why).withHeader("Retry-After", RETRY_AFTER);
  }
}
