package io.feedbridge.gateway.client;

import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.CallException.Failure;
import io.feedbridge.gateway.client.address.Hop;
import io.feedbridge.gateway.client.address.Origin;
import io.feedbridge.gateway.client.address.Proxy;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A call on its way, over one exchange per hop. It has one exchange at a time, and so is on one
 * event loop at a time.
 */
final class RunningCall {
  /** Bytes of a redirect's own body that are skipped to keep its connection. */
  static final int REDIRECT_BODY = 16 * 1024;

  private final Hops way;
  private final Call call;
  private final CompletableFuture<Reply> reply = new CompletableFuture<>();
  private final long deadlineNanos;
  private List<Hop> hops = List.of();
  private @Nullable String firstHost;
  private Gate.@Nullable Departure departure;

  /** After how many hops a request was judged last; below 0 before the first. */
  private int judgedAfter = -1;

  /** The client, as far as a call needs it. Called on the event loop of its exchange. */
  interface Hops {

    /** The last word on where a request goes. */
    Gate gate();

    /** Starts the next hop. */
    void begin(RunningCall call, Request request) throws CallException;

    /** The call is over. */
    void ended();
  }

  RunningCall(Hops way, Call call) {
    this.way = way;
    this.call = call;
    deadlineNanos = System.nanoTime() + saturatedNanos(call);
  }

  private static long saturatedNanos(Call call) {
    // A century is as good as any longer time, and does not overflow.
    return Math.min(call.timeout().toSeconds(), 3_000_000_000L) * 1_000_000_000L
        + call.timeout().toNanosPart();
  }

  Call call() {
    return call;
  }

  CompletableFuture<Reply> reply() {
    return reply;
  }

  /** Whether requests may go out at all now. */
  boolean mayGo() {
    return way.gate().isOpen();
  }

  /** Why a request must not go to an address; empty if it goes there now. */
  Optional<CallException> refusal(Request request, InetAddress address) {
    String host = request.target().origin().host();
    if (firstHost == null) {
      firstHost = host;
    }
    Gate.Asked asked = isKin(firstHost, host) ? asked() : Gate.Asked.BY_A_REDIRECT;
    boolean again = judgedAfter == hops.size();
    judgedAfter = hops.size();
    departure =
        new Gate.Departure(call.purpose(), request.target().url(), host, address, asked, again);
    return switch (way.gate().judge(departure)) {
      case PASS -> Optional.empty();
      case DENIED ->
          Optional.of(
              new CallException(
                  Failure.ADDRESS_REFUSED, host + " must not be called: the operator denies it"));
      case TOO_OFTEN ->
          Optional.of(
              new CallException(
                  Failure.TOO_OFTEN,
                  host
                      + " got too many requests that it did not confirm (--limit-unasked); try"
                      + " again later"));
      case CLOSED -> Optional.of(CallException.closed());
    };
  }

  private Gate.Asked asked() {
    if (call.wanted() == null) {
      return Gate.Asked.THERE;
    }
    return call.wantedBefore() ? Gate.Asked.BY_A_SUBSCRIBER : Gate.Asked.BY_A_STRANGER;
  }

  /** Whether it is the same site: "example.org" and "www.example.org" are. */
  private static boolean isKin(String one, String other) {
    return one.equals(other) || one.endsWith("." + other) || other.endsWith("." + one);
  }

  private void tellIfWanted(Reply answer) {
    Predicate<Reply> wanted = call.wanted();
    if (wanted != null && departure != null && wanted.test(answer)) {
      way.gate().wanted(departure);
    }
  }

  long nanosLeft() {
    return deadlineNanos - System.nanoTime();
  }

  boolean follows(HttpResponse head) {
    return call.redirects() > 0
        && Redirects.isRedirect(head.status().code())
        && head.headers().contains(HttpHeaderNames.LOCATION);
  }

  void answered(Request request, HttpResponse head, ResponseBody body) {
    String url = request.target().url();
    int status = head.status().code();
    Origin origin = request.target().origin();
    // Through a tunnel the origin itself answers.
    if (status == HttpResponseStatus.PROXY_AUTHENTICATION_REQUIRED.code()
        && call.proxyAt(request.target()) != null
        && !origin.secure()) {
      fail(Proxy.unauthorized(origin.host()));
      return;
    }
    if (!follows(head)) {
      Headers headers = new Headers(head.headers());
      way.ended();
      boolean isByProxy = call.proxyAt(request.target()) != null;
      InetAddress from = isByProxy || departure == null ? null : departure.address();
      Reply answer = new Reply(status, headers, body.toBytes(), body.overflown(), url, hops, from);
      tellIfWanted(answer);
      reply.complete(answer);
      return;
    }
    if (hops.size() == call.redirects()) {
      String message = origin.host() + " redirects further after " + hops.size() + " redirects";
      fail(new CallException(Failure.TOO_MANY_REDIRECTS, message));
      return;
    }
    try {
      String location = head.headers().get(HttpHeaderNames.LOCATION, "");
      Request next = Redirects.next(request, call, status, location);
      if (!call.mayFollow().test(next.target().url())) {
        String message = next.target().origin().host() + " is not to be asked now";
        throw new CallException(Failure.HELD_BACK, message);
      }
      List<Hop> longer = new ArrayList<>(hops);
      longer.add(new Hop(status, url, next.target().url()));
      hops = List.copyOf(longer);
      way.begin(this, next.with(call.headersAt(next.target(), next.headers())));
    } catch (CallException e) {
      fail(e);
    } catch (RuntimeException e) {
      // The caller's predicate failed; no one else would end the call.
      String message = "The redirect of " + request.target().origin().host() + " was not followed";
      fail(new CallException(Failure.BROKEN, message, e));
    }
  }

  void fail(CallException failure) {
    way.ended();
    reply.completeExceptionally(hops.isEmpty() ? failure : failure.after(hops));
  }
}
