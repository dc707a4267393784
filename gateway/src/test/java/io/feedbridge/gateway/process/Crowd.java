package io.feedbridge.gateway.process;

import static org.awaitility.Awaitility.await;

import io.feedbridge.gateway.server.Request;
import io.feedbridge.gateway.server.Response;
import io.feedbridge.gateway.testing.FakeSubscriber;
import io.feedbridge.gateway.testing.GatewayProcess;
import io.feedbridge.websub.Signature;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Many WebSub subscribers on two hosts, most of them healthy. It remembers every delivery in the
 * order of arrival, and can stop answering at a moment that a test chooses, so that what is in
 * flight stays in flight until the gateway is killed.
 */
final class Crowd implements AutoCloseable {

  private static final Pattern ENTRY = Pattern.compile("<id>(entry-\\d+)</id>");

  /** Requests that wait for their answer at once, when the crowd subscribes. */
  private static final int AT_ONCE = 100;

  private final FakeSubscriber steady = new FakeSubscriber();
  private final FakeSubscriber stuck = new FakeSubscriber();
  private final List<Member> members = new ArrayList<>();
  private final List<Delivery> deliveries = new ArrayList<>();
  private boolean frozen;
  private boolean revived;
  private boolean failing;
  private Predicate<Delivery> trigger = delivery -> false;
  private CompletableFuture<Void> reached = new CompletableFuture<>();

  /** How a subscriber behaves. */
  enum Kind {
    /** Takes whatever it is sent. */
    HEALTHY,
    /** Answers the first delivery with 500, once it is told to fail. */
    FAILING,
    /** Answers nothing, on a host of its own kind, until it is revived. */
    HANGING
  }

  record Member(String path, String topic, Kind kind) {
    String secret() {
      return "secret of " + path;
    }
  }

  /**
   * What arrived.
   *
   * @param event the id under which the gateway sent it
   * @param entries of the document, in its order
   * @param attempt of this member since the last {@link #reset}, from 1
   * @param answer its status; 0 if it got none
   */
  record Delivery(
      Member member, long event, List<String> entries, boolean signed, int attempt, int answer) {}

  /** A member with a callback of its own. */
  Member add(String path, String topic, Kind kind) {
    Member member = new Member(path, topic, kind);
    host(kind).answer(path, request -> take(member, request));
    members.add(member);
    return member;
  }

  private FakeSubscriber host(Kind kind) {
    return kind == Kind.HANGING ? stuck : steady;
  }

  /** The members of a topic. */
  List<Member> of(String topic) {
    return members.stream().filter(member -> member.topic.equals(topic)).toList();
  }

  /** Subscribes everyone and waits until all are verified. */
  void subscribe(GatewayProcess gateway) {
    for (int from = 0; from < members.size(); from += AT_ONCE) {
      List<CompletableFuture<HttpResponse<String>>> answers =
          members.subList(from, Math.min(from + AT_ONCE, members.size())).stream()
              .map(member -> request(gateway, member))
              .toList();
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        if (answer.join().statusCode() != 202) {
          throw new AssertionError("refused: " + answer.join().body());
        }
      }
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> gateway.meter("feedbridge_subscriptions_websub") == members.size());
  }

  private CompletableFuture<HttpResponse<String>> request(GatewayProcess gateway, Member member) {
    return gateway.formAsync(
        "/hub",
        "hub.mode",
        "subscribe",
        "hub.topic",
        member.topic,
        "hub.callback",
        host(member.kind).url(member.path),
        "hub.secret",
        member.secret());
  }

  /** Forgets all deliveries, and lets everybody behave as at first. */
  synchronized void reset() {
    deliveries.clear();
    frozen = false;
    revived = false;
    failing = false;
    trigger = delivery -> false;
  }

  /** Those who fail do so from now on. */
  synchronized void letSomeFail() {
    failing = true;
  }

  /**
   * After the first delivery that meets the condition none is answered any more.
   *
   * @return completes when that happens
   */
  synchronized CompletableFuture<Void> freezeAt(Predicate<Delivery> condition) {
    trigger = condition;
    reached = new CompletableFuture<>();
    return reached;
  }

  /** {@link #freezeAt} the delivery of this number, from 1, counted from now on. */
  synchronized CompletableFuture<Void> freezeAfter(int number) {
    int last = deliveries.size() + number;
    return freezeAt(delivery -> deliveries.size() >= last);
  }

  /** Answers again; whoever hung takes what it is sent from now on. */
  synchronized void revive() {
    frozen = false;
    revived = true;
    trigger = delivery -> false;
  }

  /** All deliveries since the last {@link #reset}, in the order of arrival. */
  synchronized List<Delivery> deliveries() {
    return List.copyOf(deliveries);
  }

  /** The deliveries to one member. */
  synchronized List<Delivery> to(Member member) {
    return deliveries.stream().filter(delivery -> delivery.member.equals(member)).toList();
  }

  private synchronized CompletionStage<Response> take(Member member, Request request) {
    int attempt = to(member).size() + 1;
    boolean hangs = frozen || (member.kind == Kind.HANGING && !revived);
    int answer = hangs ? 0 : failing && member.kind == Kind.FAILING && attempt == 1 ? 500 : 204;
    Delivery delivery =
        new Delivery(
            member,
            Long.parseLong(request.header("Feedbridge-Event").orElseThrow()),
            ENTRY
                .matcher(new String(request.body(), StandardCharsets.UTF_8))
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList(),
            Signature.verify(
                request.header("X-Hub-Signature").orElse(null), member.secret(), request.body()),
            attempt,
            answer);
    deliveries.add(delivery);
    if (!frozen && trigger.test(delivery)) {
      frozen = true;
      reached.complete(null);
    }
    return hangs
        ? new CompletableFuture<>()
        : CompletableFuture.completedFuture(Response.empty(answer));
  }

  @Override
  public void close() {
    steady.close();
    stuck.close();
  }
}
