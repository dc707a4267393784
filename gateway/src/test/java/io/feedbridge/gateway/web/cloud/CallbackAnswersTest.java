package io.feedbridge.gateway.web.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.Results;
import io.feedbridge.gateway.testing.Signed;
import io.feedbridge.gateway.testing.World;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a callback answers to a verification or a challenge, and what comes of it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallbackAnswersTest {

  private World world;
  private int number;
  private String feed = "";
  private String path = "";

  @BeforeAll
  void start(@TempDir Path data) {
    world = World.on(data);
  }

  @AfterAll
  void stop() {
    world.close();
  }

  private void nextFeed() {
    number++;
    path = "callback" + number;
    feed = world.origin().rss("feed" + number + ".xml", "", "one");
  }

  static Stream<Named<Function<Request, Response>>> answersThatConfirmNothing() {
    return Stream.of(
        Named.of("another text", request -> Response.text(200, "hello")),
        Named.of("an empty answer", request -> Response.empty(200)),
        Named.of("a 204", request -> Response.noContent()),
        Named.of("a 404", request -> Response.text(404, challenge(request))),
        Named.of("a 410", request -> Response.text(410, challenge(request))),
        Named.of("a 304", request -> Response.empty(304)),
        Named.of(
            "the topic", request -> Response.text(200, "" + request.query().get("hub.topic"))));
  }

  static Stream<Named<Function<Request, Response>>> serverErrors() {
    return Stream.of(
        Named.of("a 500", request -> Response.text(500, challenge(request))),
        Named.of("a 503", request -> Response.text(503, challenge(request))));
  }

  static Stream<Named<Function<Request, Response>>> redirects() {
    return Stream.of(
        Named.of(
            "a redirect",
            request ->
                Response.text(302, challenge(request)).withHeader("Location", elsewhere(request))),
        Named.of(
            "a permanent redirect",
            request ->
                Response.text(308, challenge(request)).withHeader("Location", elsewhere(request))));
  }

  static Stream<Named<Function<Request, Response>>> answersThatHoldMoreThanTheChallenge() {
    return Stream.of(
        Named.of(
            "within a page", request -> Response.text(200, "<p>" + challenge(request) + "</p>")),
        Named.of("with a space", request -> Response.text(200, " " + challenge(request))),
        Named.of("with a line break", request -> Response.text(200, challenge(request) + "\r\n")),
        Named.of("twice", request -> Response.text(200, challenge(request).repeat(2))),
        Named.of(
            "with another case",
            request -> Response.text(200, challenge(request).toUpperCase(Locale.ROOT) + "x")),
        Named.of(
            "at the beginning of megabytes",
            request -> Response.text(200, challenge(request) + " ".repeat(8 << 20))),
        Named.of(
            "at the end of megabytes",
            request -> Response.text(200, " ".repeat(8 << 20) + challenge(request))));
  }

  static Stream<Named<Function<Request, Response>>> badAnswers() {
    return Stream.of(
            answersThatConfirmNothing(), redirects(), answersThatHoldMoreThanTheChallenge())
        .flatMap(answers -> answers);
  }

  static Stream<Named<Function<Request, Response>>> answersThatFailATest() {
    return Stream.concat(answersThatConfirmNothing(), serverErrors());
  }

  @ParameterizedTest
  @MethodSource("badAnswers")
  void H5_a_callback_that_does_not_give_just_the_challenge_back_is_not_subscribed(
      Function<Request, Response> answer) {
    nextFeed();
    world.subscriber().onQuestion(path, then(answer));

    assertThat(world.gateway().subscribe(feed, world.subscriber().url(path)).statusCode())
        .isEqualTo(202);

    awaitVerified(1);
    assertThat(subscription()).isEmpty();
    assertThat(world.gateway().rows().count("feed WHERE followed = 1 AND topic = '" + feed + "'"))
        .isZero();
    assertThat(world.subscriber().asked(path + "-elsewhere")).isEmpty();
  }

  /** VerifierTest has the questions that follow, and the end after the last one. */
  @ParameterizedTest
  @MethodSource("serverErrors")
  void H5_a_callback_that_answers_a_server_error_is_not_subscribed_and_is_asked_again(
      Function<Request, Response> answer) {
    nextFeed();
    world.subscriber().onQuestion(path, then(answer));

    world.gateway().subscribe(feed, world.subscriber().url(path));

    awaitPutOff(1);
    assertThat(subscription()).isEmpty();
    assertThat(world.subscriber().received(path)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("serverErrors")
  void H5_while_a_renewal_is_asked_about_again_the_subscription_is_as_it_was(
      Function<Request, Response> answer) {
    nextFeed();
    world.subscribe(feed, path, "hub.secret", "old", "hub.lease_seconds", "700000");
    List<String> before = subscription();
    world.subscriber().onQuestion(path, then(answer));

    renew();

    awaitPutOff(2);
    assertAsItWas(before);
  }

  @ParameterizedTest
  @MethodSource("badAnswers")
  void H5_after_a_renewal_that_is_not_confirmed_the_subscription_is_as_it_was(
      Function<Request, Response> answer) {
    nextFeed();
    world.subscribe(feed, path, "hub.secret", "old", "hub.lease_seconds", "700000");
    List<String> before = subscription();
    world.subscriber().onQuestion(path, then(answer));

    renew();

    awaitVerified(2);
    assertAsItWas(before);
  }

  private void renew() {
    world
        .gateway()
        .subscribe(
            feed,
            world.subscriber().url(path),
            "hub.secret",
            "new",
            "format",
            "json",
            "hub.lease_seconds",
            "800000");
  }

  private void assertAsItWas(List<String> before) {
    assertThat(subscription()).isEqualTo(before);
    world.origin().rss("feed" + number + ".xml", "", "two", "one");
    world.publish(feed);
    Request delivery = world.delivery(path);
    assertThat(Signed.with("old", delivery)).isTrue();
    assertThat(delivery.header("Content-Type")).hasValue("application/atom+xml; charset=utf-8");
  }

  @ParameterizedTest
  @MethodSource("answersThatHoldMoreThanTheChallenge")
  void H5_an_unsubscription_that_is_not_confirmed_ends_nothing(Function<Request, Response> answer) {
    nextFeed();
    world.subscribe(feed, path);
    List<String> before = subscription();
    world.subscriber().onQuestion(path, then(answer));

    world
        .gateway()
        .form(
            "/hub",
            "hub.mode",
            "unsubscribe",
            "hub.topic",
            feed,
            "hub.callback",
            world.subscriber().url(path));

    awaitVerified(2);
    assertThat(subscription()).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("answersThatFailATest")
  void a_handler_with_a_domain_that_does_not_give_the_challenge_back_is_not_registered(
      Function<Request, Response> answer) {
    nextFeed();
    world.subscriber().onQuestion(path, then(answer));

    Results.Result result =
        Results.xml(world.gateway().pleaseNotify(world.subscriber(), path, feed), "notifyResult");

    assertThat(result.success()).isFalse();
    assertThat(result.msg()).contains(feed, "your handler failed its test");
    world.gateway().settle();
    assertThat(subscription()).isEmpty();
    assertThat(world.subscriber().asked(path + "-elsewhere")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("redirects")
  void a_handler_with_a_domain_that_redirects_is_registered_if_the_challenge_comes_back_from_there(
      Function<Request, Response> answer) {
    nextFeed();
    world.subscriber().onQuestion(path, then(answer));

    world.register(feed, path);

    assertThat(world.subscriber().asked(path + "-elsewhere")).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("redirects")
  void a_handler_with_a_domain_that_redirects_to_a_wrong_answer_is_not_registered(
      Function<Request, Response> answer) {
    nextFeed();
    world
        .subscriber()
        .onQuestion(path + "-elsewhere", then(request -> Response.text(200, "hello")));
    world.subscriber().onQuestion(path, then(answer));

    Results.Result result =
        Results.xml(world.gateway().pleaseNotify(world.subscriber(), path, feed), "notifyResult");

    assertThat(result.success()).isFalse();
    assertThat(result.msg()).contains(feed, "your handler failed its test");
    world.gateway().settle();
    assertThat(subscription()).isEmpty();
  }

  @Test
  void a_handler_with_a_domain_may_say_more_than_the_challenge() {
    nextFeed();
    world
        .subscriber()
        .onQuestion(path, then(request -> Response.text(201, "\n " + challenge(request) + " \n")));

    world.register(feed, path);
  }

  @Test
  void H5_any_2xx_confirms() {
    nextFeed();
    world.subscriber().onQuestion(path, then(request -> Response.text(201, challenge(request))));

    world.subscribe(feed, path);
  }

  private static Function<Request, CompletionStage<Response>> then(
      Function<Request, Response> answer) {
    return request -> CompletableFuture.completedFuture(answer.apply(request));
  }

  private static String challenge(Request request) {
    String name = request.query().containsKey("challenge") ? "challenge" : "hub.challenge";
    return Http.first(request.query(), name);
  }

  private static String elsewhere(Request request) {
    return request.path() + "-elsewhere?" + request.rawQuery();
  }

  /** Waits until the callback was asked so often and the answer has been acted upon. */
  private void awaitVerified(int times) {
    World.until(() -> world.subscriber().asked(path).size() == times);
    world.gateway().settle();
    assertThat(world.gateway().rows().count(pending())).isZero();
  }

  /** Waits until the callback was asked so often and is to be asked again. */
  private void awaitPutOff(int times) {
    World.until(() -> world.subscriber().asked(path).size() == times);
    World.until(() -> world.gateway().rows().count(pending() + " AND attempts = 1") == 1);
  }

  private String pending() {
    return "verification WHERE callback = '" + world.subscriber().url(path) + "'";
  }

  private List<String> subscription() {
    return world
        .gateway()
        .rows()
        .query(
            "SELECT * FROM subscription WHERE callback = '" + world.subscriber().url(path) + "'");
  }
}
