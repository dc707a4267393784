package io.feedbridge.gateway.web.cloud;

import io.feedbridge.gateway.activity.Activity;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.NotOwnerException;
import io.feedbridge.gateway.subscribers.CloudRegistrar;
import io.feedbridge.gateway.web.common.Admission;
import io.feedbridge.gateway.web.common.Callers;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.rsscloud.BadRpcException;
import io.feedbridge.rsscloud.CloudCall;
import io.feedbridge.rsscloud.NotificationRequest;
import io.feedbridge.rsscloud.NotifyResult;
import io.feedbridge.rsscloud.Registration;
import io.feedbridge.rsscloud.RpcCall;
import io.feedbridge.rsscloud.RpcProtocol;
import io.feedbridge.rsscloud.RpcValue;
import io.feedbridge.rsscloud.WeblogPing;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The same cloud by procedure calls, over XML-RPC and SOAP: {@code /RPC2}, {@code /soap}, and any
 * other path at which a call arrives. The root element decides between the two, not the path.
 */
public final class RpcHandler {

  private static final int OK = 200;
  private static final RpcValue TRUE = new RpcValue.Bool(true);
  private static final String TRY_LATER = "the gateway cannot take this now: try again later";

  private final Optional<Owned> owned;
  private final Intake intake;
  private final Callers callers;
  private final Admission admission;

  /** The parts that only the node that owns the store has. */
  public record Owned(CloudRegistrar registrar, SavedFeeds savedFeeds) {}

  /**
   * A handler.
   *
   * @param owned absent at a node that does not own the store: calls that need it then fail with a
   *     {@link NotOwnerException}, before any part of the call was done
   */
  public RpcHandler(Optional<Owned> owned, Intake intake, Callers callers, Admission admission) {
    this.owned = owned;
    this.admission = admission;
    this.callers = callers;
    this.intake = intake;
  }

  /** The result of a call: a value, or a fault with this sentence. */
  sealed interface Outcome {
    record Value(RpcValue value) implements Outcome {}

    record Fault(String sentence, Optional<Refusal> tooMuch) implements Outcome {
      Fault(String sentence) {
        this(sentence, Optional.empty());
      }

      Fault(Refusal refusal) {
        this(refusal.reason(), Optional.of(refusal));
      }
    }
  }

  static final Outcome DONE = new Outcome.Value(TRUE);

  /** Whether a body is XML rather than a form. */
  static boolean isXml(byte[] body) {
    for (byte b : body) {
      boolean passedOver = b == ' ' || b == '\t' || b == '\r' || b == '\n';
      if (!passedOver) {
        // A byte order mark stands before markup only.
        return b == '<' || b == (byte) 0xEF || b == (byte) 0xFE || b == (byte) 0xFF;
      }
    }
    return false;
  }

  /** A call of the cloud. */
  public CompletionStage<Response> call(Request request, RpcProtocol otherwise) {
    return answered(request, otherwise, asked -> outcome(request, asked));
  }

  /** A call at the callback of an upstream registration, where only a notification is expected. */
  CompletionStage<Response> notification(Request request, String token) {
    return answered(
        request,
        RpcProtocol.XML_RPC,
        asked ->
            asked instanceof CloudCall.Notify notify
                ? notified(notify.notification(), topic -> intake.notification(token, topic))
                : fault("this address accepts only notifications"));
  }

  /**
   * Reading a long call takes time, so it is never done on an event loop, and counts as work for
   * the caller.
   */
  private CompletionStage<Response> answered(
      Request request,
      RpcProtocol otherwise,
      Function<CloudCall, CompletableFuture<Outcome>> doing) {
    Optional<Refusal> tooMuch = admission.work(request);
    if (tooMuch.isPresent()) {
      Response fault = fault(otherwise, RpcProtocol.Blame.CLIENT, tooMuch.get().reason());
      return CompletableFuture.completedFuture(Admission.withWait(fault, tooMuch.get()));
    }
    return answered(request, otherwise, doing, task -> admission.inTurn(request, task));
  }

  /** One task: a stage that is added to a future which has completed runs on the caller. */
  CompletionStage<Response> answered(
      Request request,
      RpcProtocol otherwise,
      Function<CloudCall, CompletableFuture<Outcome>> doing,
      Turns turns) {
    return turns
        .take(
            () ->
                answered(
                    request,
                    RpcProtocol.of(request.body(), otherwise),
                    doing,
                    callers.address(request)))
        .thenCompose(Function.identity());
  }

  /** Runs a task on a thread that may block, once the caller's limits let it run. */
  interface Turns {
    CompletableFuture<CompletionStage<Response>> take(Supplier<CompletionStage<Response>> task);
  }

  private CompletableFuture<Response> answered(
      Request request,
      RpcProtocol rpc,
      Function<CloudCall, CompletableFuture<Outcome>> doing,
      String caller) {
    RpcCall call = null;
    try {
      RpcCall read = rpc.readCall(request.body(), request.header("Content-Type").orElse(null));
      call = read;
      return doing
          .apply(CloudCall.parse(read, caller))
          .thenApply(outcome -> response(rpc, read, outcome));
    } catch (BadRpcException e) {
      String reason = String.valueOf(e.getMessage());
      noteRefused(call, caller, reason);
      return CompletableFuture.completedFuture(fault(rpc, e.blame(), reason));
    }
  }

  /** The kind of activity that a call was meant as, by its name. */
  /** The author of a client looks for the feed that the registration was for. */
  private void noteRefused(@Nullable RpcCall call, String caller, String reason) {
    Activity.Kind kind = kind(call);
    String feed =
        call == null || kind != Activity.Kind.REGISTRATION ? "" : call.firstUrl().orElse("");
    intake.refused(kind, feed, caller, reason);
  }

  private static Activity.Kind kind(@Nullable RpcCall call) {
    String name = call == null ? "" : call.lastSegment().toLowerCase(Locale.ROOT);
    return switch (name) {
      case "pleasenotify", "rsspleasenotify", "requestnotification" -> Activity.Kind.REGISTRATION;
      case "ping", "extendedping" -> Activity.Kind.PING;
      default -> Activity.Kind.CALL;
    };
  }

  /** Whether a node without the store can do a call. */
  private static boolean isForAnyNode(CloudCall asked) {
    return !(asked instanceof CloudCall.PleaseNotify
        || asked instanceof CloudCall.RequestNotification
        || asked instanceof CloudCall.Multicall
        || asked instanceof CloudCall.SaveRss);
  }

  private CompletableFuture<Outcome> outcome(Request request, CloudCall asked) {
    if (owned.isEmpty() && !isForAnyNode(asked)) {
      return NotOwnerException.future();
    }
    if (asked instanceof CloudCall.PleaseNotify please) {
      return registered(request, please.registration());
    }
    if (asked instanceof CloudCall.RequestNotification please) {
      return registered(request, please.registration()).thenApply(RpcHandler::inStruct);
    }
    if (asked instanceof CloudCall.Multicall many) {
      return each(request, many);
    }
    if (asked instanceof CloudCall.PingFeeds ping) {
      return pinged(request, ping.ping().urls());
    }
    if (asked instanceof CloudCall.PingWeblog ping) {
      return pinged(request, ping.ping());
    }
    if (asked instanceof CloudCall.Notify notify) {
      // Any caller may send a notification to this address, as a ping.
      Optional<Refusal> tooMuch = admission.pings(request, List.of(notify.notification().url()));
      return tooMuch.isPresent()
          ? CompletableFuture.completedFuture(new Outcome.Fault(tooMuch.get()))
          : notified(notify.notification(), intake::notification);
    }
    if (asked instanceof CloudCall.SaveRss save) {
      return owned
          .orElseThrow()
          .savedFeeds
          .save(admission.limited(request), save.user(), save.password(), save.rss())
          .thenApply(saved -> outcome(request, saved));
    }
    return CompletableFuture.completedFuture(
        asked instanceof CloudCall.ListMethods
            ? new Outcome.Value(RpcValue.Items.ofTexts(CloudCall.PROCEDURES))
            : DONE);
  }

  private CompletableFuture<Outcome> registered(Request request, Registration registration) {
    return admission
        .subscriptions(request, registration.urls(), registration.callback())
        .thenCompose(
            refusal ->
                refusal.isPresent()
                    ? CompletableFuture.completedFuture(new Outcome.Fault(refusal.get()))
                    : owned
                        .orElseThrow()
                        .registrar
                        .register(registration, CloudHandler.path(request))
                        .thenApply(RpcHandler::outcome));
  }

  /** The storage system's form of a result: a struct with an error flag. */
  private static Outcome inStruct(Outcome outcome) {
    Map<String, RpcValue> fields = new LinkedHashMap<>();
    fields.put("flError", new RpcValue.Bool(outcome instanceof Outcome.Fault));
    fields.put(
        "message",
        new RpcValue.Text(
            outcome instanceof Outcome.Fault fault
                ? fault.sentence()
                : NotifyResult.registered().msg()));
    return new Outcome.Value(new RpcValue.Fields(fields));
  }

  /** All of them at once; one that fails is a fault among the others' answers. */
  private CompletableFuture<Outcome> each(Request request, CloudCall.Multicall many) {
    List<CompletableFuture<RpcValue>> answers =
        many.calls().stream().map(call -> one(request, call)).toList();
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(
            all ->
                new Outcome.Value(
                    new RpcValue.Items(answers.stream().map(CompletableFuture::join).toList())));
  }

  private CompletableFuture<RpcValue> one(Request request, RpcCall call) {
    String caller = callers.address(request);
    try {
      return outcome(request, CloudCall.parse(call, caller))
          .handle(
              (outcome, failure) -> {
                if (outcome instanceof Outcome.Value done) {
                  return CloudCall.Multicall.result(done.value());
                }
                return CloudCall.Multicall.fault(
                    outcome instanceof Outcome.Fault fault ? fault.sentence() : TRY_LATER);
              });
    } catch (BadRpcException e) {
      String reason = String.valueOf(e.getMessage());
      noteRefused(call, caller, reason);
      return CompletableFuture.completedFuture(CloudCall.Multicall.fault(reason));
    } catch (RejectedExecutionException tooMuch) {
      return CompletableFuture.completedFuture(CloudCall.Multicall.fault(TRY_LATER));
    }
  }

  private static Outcome outcome(NotifyResult result) {
    return result.success() ? DONE : new Outcome.Fault(result.msg());
  }

  private Outcome outcome(Request request, SavedFeeds.Saved saved) {
    if (saved instanceof SavedFeeds.Saved.TooMany many) {
      admission.heldForPasswords(request, many.refusal());
      return new Outcome.Fault(many.refusal());
    }
    return saved instanceof SavedFeeds.Saved.At at
        ? new Outcome.Value(new RpcValue.Text(at.url()))
        : new Outcome.Fault(((SavedFeeds.Saved.Refused) saved).reason());
  }

  private CompletableFuture<Outcome> pinged(Request request, List<String> urls) {
    List<String> topics = new ArrayList<>();
    try {
      for (String url : urls) {
        topics.add(TopicUrl.pinged("the URL of the feed", url));
      }
    } catch (BadHubRequestException e) {
      return fault(String.valueOf(e.getMessage()));
    }
    if (admission.hasComeRound(request, topics)) {
      return CompletableFuture.completedFuture(DONE);
    }
    Optional<Refusal> refusal = admission.pings(request, topics);
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(new Outcome.Fault(refusal.get()));
    }
    String caller = callers.address(request);
    CompletableFuture<?>[] pings =
        topics.stream()
            .map(topic -> intake.ping(topic, Via.PING, caller))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(pings).thenApply(all -> DONE);
  }

  /** Ping services say whether something is wrong in a struct, not by a fault. */
  private CompletableFuture<Outcome> pinged(Request request, WeblogPing ping) {
    if (admission.hasComeRound(request, WeblogPings.topics(ping))) {
      return CompletableFuture.completedFuture(new Outcome.Value(WeblogPing.thanks()));
    }
    Optional<Refusal> tooMuch = admission.ping(request, ping);
    if (tooMuch.isPresent()) {
      return CompletableFuture.completedFuture(
          new Outcome.Value(WeblogPing.refused(tooMuch.get().reason())));
    }
    return WeblogPings.take(ping, intake, callers.address(request))
        .thenApply(
            taken ->
                new Outcome.Value(
                    taken
                        .refusal()
                        .map(WeblogPing::refused)
                        .or(() -> taken.unfollowed().map(WeblogPing::unfollowed))
                        .orElseGet(WeblogPing::thanks)));
  }

  private static CompletableFuture<Outcome> notified(
      NotificationRequest notification,
      Function<String, CompletableFuture<Intake.Receipt>> taking) {
    String topic;
    try {
      topic = TopicUrl.normalize("the URL of the feed", notification.url());
    } catch (BadHubRequestException e) {
      return fault(String.valueOf(e.getMessage()));
    }
    return taking
        .apply(topic)
        .thenApply(
            receipt ->
                receipt == Intake.Receipt.ACCEPTED
                    ? DONE
                    : new Outcome.Fault("this gateway does not follow that feed through a cloud"));
  }

  private static CompletableFuture<Outcome> fault(String sentence) {
    return CompletableFuture.completedFuture(new Outcome.Fault(sentence));
  }

  private static Response response(RpcProtocol rpc, RpcCall call, Outcome outcome) {
    if (outcome instanceof Outcome.Value done) {
      return Response.of(OK, RpcProtocol.CONTENT_TYPE, rpc.writeAnswer(call, done.value()));
    }
    Outcome.Fault fault = (Outcome.Fault) outcome;
    Response response = fault(rpc, RpcProtocol.Blame.CLIENT, fault.sentence());
    return fault.tooMuch().map(why -> Admission.withWait(response, why)).orElse(response);
  }

  private static Response fault(RpcProtocol rpc, RpcProtocol.Blame blame, String sentence) {
    return Response.of(
        rpc.faultStatus(), RpcProtocol.CONTENT_TYPE, rpc.writeFault(blame, sentence));
  }
}
