package io.feedbridge.gateway.subscribers;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.rsscloud.HandlerTest;
import io.feedbridge.rsscloud.Registration;
import io.feedbridge.rsscloud.RssCloud;
import io.feedbridge.websub.discovery.HttpReference;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;

/**
 * Tests the handlers of rssCloud aggregators. A handler that redirects is tested where it leads,
 * since its notifications follow the redirect too. Safe for use by several threads.
 */
final class HandlerTests {

  private static final int MAX_ANSWER = 64 * 1024;
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
  private static final String SECURE = "https:";

  private final OutboundClient client;
  private final ActivityLog activity;
  private final Clock clock;
  private final RandomGenerator random;

  /**
   * A tester.
   *
   * @param random for challenges: unguessable
   */
  HandlerTests(OutboundClient client, ActivityLog activity, Clock clock, RandomGenerator random) {
    this.client = client;
    this.activity = activity;
    this.clock = clock;
    this.random = random;
  }

  /**
   * The outcome of a test.
   *
   * @param refusal why the handler failed; empty if it passed
   * @param namespace in which it took the call of its procedure; empty where there is none
   */
  record Result(Optional<String> refusal, String namespace) {

    static Result failed(String why) {
      return new Result(Optional.of(why), "");
    }
  }

  /**
   * Tests a handler for a feed.
   *
   * @param renewal whether the handler passed before
   * @param end of the test, redirects included
   */
  CompletableFuture<Result> run(
      Registration registration, String url, boolean renewal, Instant end) {
    HandlerTest test = HandlerTest.of(registration, url, HandlerTest.newChallenge(random));
    return run(test, renewal, RssCloud.MAX_NOTIFICATION_REDIRECTS, end)
        .exceptionally(HandlerTests::unreachable)
        .thenApply(
            result -> {
              activity.note(
                  Kind.TEST,
                  url,
                  registration.callback(),
                  result.refusal.isEmpty(),
                  result.refusal.orElse("passed"));
              return result;
            });
  }

  private CompletableFuture<Result> run(
      HandlerTest test, boolean renewal, int redirects, Instant end) {
    Duration left = Duration.between(clock.instant(), end);
    if (left.isNegative() || left.isZero()) {
      return failed("its redirects took too long");
    }
    Call.Builder call =
        test.method().equals("GET")
            ? Call.get(test.url(), Purpose.CALLBACK)
            : Call.post(test.url(), Purpose.CALLBACK, test.body());
    test.contentType().ifPresent(type -> call.header("Content-Type", type));
    test.soapAction().ifPresent(action -> call.header("SOAPAction", action));
    return client
        .send(
            call.timeout(left)
                .truncateBodyAt(MAX_ANSWER)
                .unlessWanted(
                    reply -> judge(test, reply).isEmpty() && test.further(reply.body()).isEmpty())
                .wantedBefore(renewal)
                .build())
        .thenCompose(
            reply -> {
              Optional<String> location =
                  REDIRECTS.contains(reply.status())
                      ? reply.headers().first("Location")
                      : Optional.empty();
              return location.isPresent()
                  ? follow(test, location.get(), renewal, redirects, end)
                  : judgeFurther(test, reply, renewal, redirects, end);
            });
  }

  /**
   * A handler that passed has to pass the further test that its answer makes necessary, and a
   * handler that refused may pass in another way.
   */
  private CompletableFuture<Result> judgeFurther(
      HandlerTest test, Reply reply, boolean renewal, int redirects, Instant end) {
    Optional<String> refusal = judge(test, reply);
    Optional<HandlerTest> next =
        refusal.isPresent() ? test.otherwise() : test.further(reply.body());
    return next.isPresent()
        ? run(next.get(), renewal, redirects, end)
        : CompletableFuture.completedFuture(new Result(refusal, test.namespace()));
  }

  /** Each hop is a call of its own, which the guard judges like any other. */
  private CompletableFuture<Result> follow(
      HandlerTest test, String location, boolean renewal, int redirects, Instant end) {
    if (redirects == 0) {
      return failed("it redirects more than " + RssCloud.MAX_NOTIFICATION_REDIRECTS + " times");
    }
    Optional<URI> next =
        HttpReference.absolute(test.url()).flatMap(base -> HttpReference.resolve(base, location));
    if (next.isEmpty()) {
      return failed("it redirects to a URL that is not http or https");
    }
    if (test.url().startsWith(SECURE) && !next.get().toString().startsWith(SECURE)) {
      return failed("it redirects from https to http, where no notification would follow");
    }
    return run(test.at(next.get().toString()), renewal, redirects - 1, end);
  }

  private static Optional<String> judge(HandlerTest test, Reply reply) {
    return test.failure(
            reply.status(), reply.body(), reply.headers().first("Content-Type").orElse(null))
        .map(HandlerTests::failure);
  }

  private static CompletableFuture<Result> failed(String why) {
    return CompletableFuture.completedFuture(Result.failed(failure(why)));
  }

  private static String failure(String why) {
    return "your handler failed its test: " + why;
  }

  private static Result unreachable(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return Result.failed("your handler could not be reached: " + cause.getMessage());
  }
}
