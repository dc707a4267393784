package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Proxy;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer: one hop of a call. Ends exactly once, in whichever stage it is.
 * Confined to the event loop of its pool.
 */
final class Exchange {
  /** Where an exchange is, for the sentence that says why it took too long. */
  enum Stage {
    QUEUED("waiting for a free connection to "),
    RESOLVING("looking up "),
    CONNECTING("connecting to "),
    TUNNELLING("waiting for the connection of "),
    ANSWERING("waiting for the answer of ");

    private final String doing;

    Stage(String doing) {
      this.doing = doing;
    }
  }

  private final RunningCall call;
  private final Request request;
  private final @Nullable Proxy proxy;
  private Stage stage = Stage.QUEUED;
  private @Nullable Runnable letGo;
  private @Nullable ScheduledFuture<?> timer;
  private boolean retried;
  private boolean ended;

  Exchange(RunningCall call, Request request) {
    this.call = call;
    this.request = request;
    proxy = call.call().proxyAt(request.target());
  }

  Call call() {
    return call.call();
  }

  Request request() {
    return request;
  }

  /** Why it must not go to an address; empty if it goes there now. */
  Optional<CallException> refusal(InetAddress address) {
    return call.refusal(request, address);
  }

  /** Whether it may still go, over the connection that was opened for it. */
  boolean mayGo() {
    return call.mayGo();
  }

  String host() {
    return request.target().origin().host();
  }

  /** Between the gateway and the origin; absent if nothing is. */
  @Nullable Proxy proxy() {
    return proxy;
  }

  /** The other side at this stage, the host or its proxy, for a sentence. */
  String peer() {
    boolean tunnelled = stage == Stage.ANSWERING && request.target().origin().secure();
    return proxy == null || tunnelled ? host() : Proxy.of(host());
  }

  /** Starts the clock. */
  void begin(EventLoop loop) {
    long remaining = call.nanosLeft();
    if (remaining <= 0) {
      expire();
      return;
    }
    timer = loop.schedule(this::expire, remaining, TimeUnit.NANOSECONDS);
  }

  /**
   * Notes the stage that the exchange has reached.
   *
   * @param release makes the exchange's holder let go of it when the exchange ends from outside
   */
  void heldAt(Stage next, Runnable release) {
    stage = next;
    letGo = release;
  }

  boolean hasEnded() {
    return ended;
  }

  /** Whether it must go over a new connection, a kept one having failed it. */
  boolean retried() {
    return retried;
  }

  void markRetried() {
    retried = true;
  }

  /**
   * How much of the answer's body is wanted: of a redirect that will be followed, no more than is
   * cheap to skip.
   */
  int bodyBound(HttpResponse head) {
    return call.follows(head)
        ? Math.min(RunningCall.REDIRECT_BODY, call().maxBody())
        : call().maxBody();
  }

  /** Whether a body over the bound is cut rather than refused. */
  boolean cutsBody(HttpResponse head) {
    return call().truncate() || call.follows(head);
  }

  void succeed(HttpResponse head, ResponseBody body) {
    if (end()) {
      call.answered(request, head, body);
    }
  }

  void fail(CallException failure) {
    if (end()) {
      Runnable release = letGo;
      if (release != null) {
        release.run();
      }
      call.fail(failure);
    }
  }

  private void expire() {
    fail(
        new CallException(
            Failure.TIMEOUT, "The time for the call ran out while " + stage.doing + peer()));
  }

  private boolean end() {
    if (ended) {
      return false;
    }
    ended = true;
    if (timer != null) {
      timer.cancel(false);
    }
    return true;
  }
}
