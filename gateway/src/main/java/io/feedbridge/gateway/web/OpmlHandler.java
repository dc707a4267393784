package io.feedbridge.gateway.web;

import io.feedbridge.gateway.admission.Permits;
import io.feedbridge.gateway.admission.Places;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.client.address.WebAddress;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.opml.BadOpmlException;
import io.feedbridge.gateway.opml.BridgedList;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.server.Router;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.GuardedHandler;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * {@code GET /opml?url=}: a list of feeds on the web, with bridged feeds in their place. It follows
 * none of them; a reader that reads a bridged feed has it followed, as {@code --bridge} permits.
 */
public final class OpmlHandler {

  /** Bytes of a list on the web. */
  static final int MAX_BYTES = 1 << 20;

  /** Feeds of a list on the web. */
  static final int MAX_FEEDS = 2_000;

  /** Lists that are fetched at once. */
  static final int MAX_AT_ONCE = 32;

  /** Places of {@link #MAX_AT_ONCE} that only lists at a host without a fetch can take. */
  static final int RESERVED = 8;

  /** Lists of one caller that are fetched, or wait for that. */
  static final int MAX_OF_ONE = 4;

  /** Lists at one host that are fetched at once. */
  static final int MAX_AT_HOST = 8;

  /** Lists that wait to be fetched. */
  static final int MAX_WAITING = 128;

  /** Lists at one host that wait to be fetched. */
  static final int MAX_WAITING_AT_HOST = 64;

  private static final int MAX_REDIRECTS = 5;
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int UNPROCESSABLE = 422;
  private static final int BAD_GATEWAY = 502;
  private static final int UNAVAILABLE = 503;
  private static final String SOON_SECONDS = "10";
  private static final String OPML = "text/x-opml; charset=utf-8";

  private final Sender client;
  private final BridgedList lists;
  private final Admission admission;
  private final Places places =
      new Places(
          MAX_OF_ONE,
          new Permits.Bounds(MAX_AT_HOST, MAX_AT_ONCE, RESERVED, MAX_WAITING_AT_HOST, MAX_WAITING));

  /** The lists that a gateway under a URL makes. */
  public OpmlHandler(Sender client, URI publicUrl, Admission admission) {
    this.client = client;
    this.admission = admission;
    lists = new BridgedList(new BridgedUrls(publicUrl), admission.policies());
  }

  /** Adds its route. */
  public Router.Builder addTo(Router.Builder routes) {
    return routes.route("GET", "/opml", GuardedHandler.of(this::list));
  }

  private CompletionStage<Response> list(Request request) {
    Optional<BridgedUrl.Kind> kind = BridgedList.kind(parameter(request, "kind"));
    if (kind.isEmpty()) {
      return done(BAD_REQUEST, "kind must be " + BridgedList.KINDS);
    }
    String url;
    try {
      url = TopicUrl.document(TopicUrl.normalize("url", parameter(request, "url")));
    } catch (BadHubRequestException e) {
      return done(BAD_REQUEST, "name the list, once: /opml?url=https://… (" + e.reason() + ")");
    }
    if (!admission.policies().permitTopic(url)) {
      return done(FORBIDDEN, Policies.TOPIC_REFUSED);
    }
    Optional<Refusal> refusal = admission.following(request, url).get();
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(Admission.text(refusal.get()));
    }
    return places
        .enter(admission.key(request), WebAddress.hostOf(url))
        .map(
            place ->
                place
                    .thenCompose(entered -> fetch(request, url).whenComplete(leaving(entered)))
                    .thenCompose(
                        reply -> admission.inTurn(request, () -> answer(reply, kind.get())))
                    .exceptionally(OpmlHandler::failed))
        .orElseGet(
            () ->
                CompletableFuture.completedFuture(
                    soon(UNAVAILABLE, "too many lists are being fetched: try again soon")));
  }

  /** No host shows by a list that it wants these requests: each counts as one that it did not. */
  private CompletableFuture<Reply> fetch(Request request, String url) {
    Call.Builder call =
        Call.get(url, Purpose.FETCH)
            .header("Accept", "text/x-opml, application/xml;q=0.9, */*;q=0.1")
            .redirects(MAX_REDIRECTS)
            .acceptCompressed()
            .refuseBodyOver(MAX_BYTES);
    if (admission.limited(request).isPresent()) {
      call.unlessWanted(reply -> false);
    }
    return client.send(call.build());
  }

  private static BiConsumer<Reply, Throwable> leaving(Places.Place place) {
    return (reply, failure) -> place.close();
  }

  private Response answer(Reply reply, BridgedUrl.Kind kind) {
    if (!reply.successful()) {
      return text(BAD_GATEWAY, "the list is answered with status " + reply.status());
    }
    try {
      List<Outline> outlines = Opml.read(reply.body());
      if (outlines.size() > MAX_FEEDS) {
        return text(UNPROCESSABLE, "it lists more than %,d feeds".formatted(MAX_FEEDS));
      }
      return Response.of(OK, OPML, Opml.write("Bridged feeds", lists.of(outlines, kind)))
          .withHeader("Access-Control-Allow-Origin", "*")
          .withHeader("Content-Security-Policy", "default-src 'none'; sandbox")
          .withHeader("X-Content-Type-Options", "nosniff");
    } catch (BadOpmlException e) {
      return text(UNPROCESSABLE, String.valueOf(e.getMessage()));
    }
  }

  private static Response failed(Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (cause instanceof CallException call) {
      if (call.failure() == CallException.Failure.TOO_OFTEN) {
        return soon(Admission.TOO_MANY, String.valueOf(call.getMessage()));
      }
      return text(BAD_GATEWAY, "the list cannot be read: " + call.getMessage());
    }
    throw new CompletionException(cause);
  }

  private static String parameter(Request request, String name) {
    List<String> values = request.query().getOrDefault(name, List.of());
    return values.size() == 1 ? values.get(0) : "";
  }

  private static Response soon(int status, String reason) {
    return text(status, reason).withHeader("Retry-After", SOON_SECONDS);
  }

  private static CompletableFuture<Response> done(int status, String reason) {
    return CompletableFuture.completedFuture(text(status, reason));
  }

  private static Response text(int status, String reason) {
    return Response.text(status, reason + "\n");
  }
}
