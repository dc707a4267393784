package io.feedbridge.gateway.face;

import io.feedbridge.gateway.downstream.CloudRegistrar;
import io.feedbridge.gateway.guard.Refusal;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * The same cloud by procedure calls, over XML-RPC and SOAP: {@code /RPC2}, {@code /soap}, and
 * wherever else a call arrives. Which of the two it is, its root element says and not the path.
 */
final class RpcFace {

  private static final int OK = 200;
  private static final RpcValue TRUE = new RpcValue.Bool(true);

  private final CloudRegistrar registrar;
  private final Intake intake;
  private final SavedFeeds savedFeeds;
  private final Callers callers;
  private final Executor blocking;
  private final Admission admission;

  RpcFace(
      CloudRegistrar registrar,
      Intake intake,
      SavedFeeds savedFeeds,
      Callers callers,
      Admission admission,
      Executor blocking) {
    this.admission = admission;
    this.savedFeeds = savedFeeds;
    this.callers = callers;
    this.registrar = registrar;
    this.intake = intake;
    this.blocking = blocking;
  }

  /** What a call is answered with: a value, or a fault with this sentence. */
  private sealed interface Outcome {
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

  private static final Outcome DONE = new Outcome.Value(TRUE);

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
  CompletionStage<Response> call(Request request, RpcProtocol otherwise) {
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
                : fault("this address takes notifications and nothing else"));
  }

  /** Reading a long call takes time, so not where the caller is, which is an event loop. */
  private CompletionStage<Response> answered(
      Request request,
      RpcProtocol otherwise,
      Function<CloudCall, CompletableFuture<Outcome>> doing) {
    return CompletableFuture.supplyAsync(() -> RpcProtocol.of(request.body(), otherwise), blocking)
        .thenCompose(rpc -> answered(request, rpc, doing, callers.address(request)));
  }

  private static CompletableFuture<Response> answered(
      Request request,
      RpcProtocol rpc,
      Function<CloudCall, CompletableFuture<Outcome>> doing,
      String caller) {
    try {
      RpcCall call = rpc.readCall(request.body(), request.header("Content-Type").orElse(null));
      return doing
          .apply(CloudCall.parse(call, caller))
          .thenApply(outcome -> response(rpc, call, outcome));
    } catch (BadRpcException e) {
      return CompletableFuture.completedFuture(
          fault(rpc, e.blame(), String.valueOf(e.getMessage())));
    }
  }

  private CompletableFuture<Outcome> outcome(Request request, CloudCall asked) {
    if (asked instanceof CloudCall.PleaseNotify please) {
      return registered(request, please.registration());
    }
    if (asked instanceof CloudCall.PingFeeds ping) {
      return pinged(request, ping.ping().urls());
    }
    if (asked instanceof CloudCall.PingWeblog ping) {
      return pinged(request, ping.ping());
    }
    if (asked instanceof CloudCall.Notify notify) {
      return notified(notify.notification(), intake::notification);
    }
    if (asked instanceof CloudCall.SaveRss save) {
      return savedFeeds.save(save.user(), save.password(), save.rss()).thenApply(RpcFace::outcome);
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
                    : registrar.register(registration).thenApply(RpcFace::outcome));
  }

  private static Outcome outcome(NotifyResult result) {
    return result.success() ? DONE : new Outcome.Fault(result.msg());
  }

  private static Outcome outcome(SavedFeeds.Saved saved) {
    return saved instanceof SavedFeeds.Saved.At at
        ? new Outcome.Value(new RpcValue.Text(at.url()))
        : new Outcome.Fault(((SavedFeeds.Saved.Refused) saved).reason());
  }

  private CompletableFuture<Outcome> pinged(Request request, List<String> urls) {
    List<String> topics = new ArrayList<>();
    try {
      for (String url : urls) {
        topics.add(TopicUrl.normalize(url));
      }
    } catch (BadHubRequestException e) {
      return fault(String.valueOf(e.getMessage()));
    }
    Optional<Refusal> refusal = admission.pings(request, topics);
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(new Outcome.Fault(refusal.get()));
    }
    CompletableFuture<?>[] pings =
        topics.stream()
            .map(topic -> intake.ping(topic, Via.PING))
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(pings).thenApply(all -> DONE);
  }

  /** Ping services say whether something is wrong in a struct, not by a fault. */
  private CompletableFuture<Outcome> pinged(Request request, WeblogPing ping) {
    Optional<Refusal> tooMuch = admission.ping(request, ping);
    if (tooMuch.isPresent()) {
      return CompletableFuture.completedFuture(
          new Outcome.Value(WeblogPing.refused(tooMuch.get().reason())));
    }
    return WeblogPings.take(ping, intake)
        .thenApply(
            refusal ->
                new Outcome.Value(refusal.map(WeblogPing::refused).orElse(WeblogPing.thanks())));
  }

  private static CompletableFuture<Outcome> notified(
      NotificationRequest notification,
      Function<String, CompletableFuture<Intake.Receipt>> taking) {
    String topic;
    try {
      topic = TopicUrl.normalize(notification.url());
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
