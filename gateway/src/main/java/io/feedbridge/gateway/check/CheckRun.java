package io.feedbridge.gateway.check;

import io.feedbridge.gateway.ingest.FirstLook;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.gateway.store.feeds.Advertised;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.upstream.Transport;
import io.feedbridge.gateway.upstream.TrialSubscriptions;
import io.feedbridge.gateway.upstream.TrialSubscriptions.Outcome;
import io.feedbridge.gateway.upstream.TrialSubscriptions.Trial;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One check: looks at the feed, subscribes at its hubs and clouds, pings them, and waits for their
 * deliveries. Safe for use by several threads; {@link #run} is called once.
 */
final class CheckRun {

  /** Hubs of a feed that are asked. */
  static final int MAX_HUBS = 2;

  /** Clouds of a feed that are asked. */
  static final int MAX_CLOUDS = 1;

  private final String id;
  private final String url;
  private final OwnPush own;
  private final Predicate<String> mayAsk;
  private final TrialSubscriptions trials;
  private final CheckBounds bounds;
  private final Timer timer;
  private final Clock clock;
  private final Instant startedAt;

  private final Findings findings = new Findings();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final CompletableFuture<Void> stopping = new CompletableFuture<>();
  private volatile List<Probe> probes = List.of();
  private volatile @Nullable Instant listensUntil;
  private volatile boolean unasked;

  /** Whether a ping has reached a hub or cloud of the gateway itself. */
  private volatile boolean reached;

  /**
   * A check that has not begun.
   *
   * @param own the gateway's own hub and cloud
   * @param mayAsk whether a hub or a cloud may be asked for the caller of the check
   */
  CheckRun(
      String id,
      String url,
      OwnPush own,
      Predicate<String> mayAsk,
      TrialSubscriptions trials,
      CheckBounds bounds,
      Timer timer) {
    this.id = id;
    this.url = url;
    this.own = own;
    this.mayAsk = mayAsk;
    this.trials = trials;
    this.bounds = bounds;
    this.timer = timer;
    clock = timer.clock();
    startedAt = clock.instant();
  }

  String url() {
    return url;
  }

  Instant startedAt() {
    return startedAt;
  }

  boolean isDone() {
    return done.isDone();
  }

  /** Completes when the check is done. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** Ends all waits, because the gateway stops. */
  void stop() {
    stopping.complete(null);
  }

  /**
   * Makes the check, up to the wait for deliveries. Blocks.
   *
   * @param tokens is given each probe before its first request
   */
  void run(FirstLook look, RandomGenerator random, Consumer<Probe> tokens) {
    FirstLook.Finding found = look.at(url);
    List<Transport> ways =
        found.answer().problem() == null
            ? Transport.of(found.advertised(), found.answer().url())
            : List.of();
    if (!new Document(findings, own).read(url, found, ways)) {
      end();
      return;
    }
    List<Probe> asked = new ArrayList<>();
    for (Transport way : chosen(ways, found.advertised())) {
      if (own.is(way.endpoint())) {
        pingOwn(way);
      } else if (mayAsk.test(way.endpoint())) {
        Probe probe = new Probe(Trial.of(way, found.advertised(), random), asked.size());
        tokens.accept(probe);
        asked.add(probe);
      } else {
        unasked = true;
        findings.note(
            "limit " + way.endpoint(),
            way.endpoint(),
            "It was not asked: too many checks have asked it lately.",
            "Check again in an hour.");
      }
    }
    probes = List.copyOf(asked);
    subscribe();
    ping();
    listen();
  }

  /** Hubs are asked as the feed names them: the publisher may have to name one otherwise. */
  private static List<Transport> chosen(List<Transport> ways, Advertised advertised) {
    return Stream.concat(
            ways.stream()
                .filter(way -> way.kind() == UpstreamSubscription.Kind.WEBSUB)
                .filter(way -> advertised.hubs().contains(way.endpoint()))
                .limit(MAX_HUBS),
            ways.stream()
                .filter(way -> way.kind() == UpstreamSubscription.Kind.RSSCLOUD)
                .limit(MAX_CLOUDS))
        .toList();
  }

  /** The gateway's own hub or cloud, which takes each subscription to a feed that it may follow. */
  private void pingOwn(Transport way) {
    boolean cloud = way.kind() == UpstreamSubscription.Kind.RSSCLOUD;
    String word = cloud ? "cloud" : "hub";
    String endpoint = way.endpoint();
    findings.ok(
        "own subscribe " + endpoint,
        endpoint,
        "The %s is this gateway's, and accepts subscriptions to this feed.".formatted(word));
    CompletableFuture<OwnPush.Pinged> ping = own.ping(way.topic(), cloud);
    within(ping.handle((done, failure) -> null), bounds.answers());
    String key = "own ping " + endpoint;
    if (!ping.isDone() || ping.isCompletedExceptionally()) {
      findings.problem(
          key, endpoint, "This gateway could not store the ping.", "Check again later.");
    } else if (!ping.join().problem().isEmpty()) {
      findings.problem(
          key,
          endpoint,
          "The ping arrived, and the gateway could not fetch the feed: " + ping.join().problem(),
          "Make the URL answer with the feed, status 200, without a login.");
    } else {
      reached = true;
      findings.ok(
          key,
          endpoint,
          ping.join().followed()
              ? "The ping arrived, and the gateway fetches the feed for its subscribers."
              : "The ping arrived. The feed has no subscriber here yet, so it is not fetched.");
    }
  }

  private void subscribe() {
    Map<Probe, CompletableFuture<Outcome>> answers = new LinkedHashMap<>();
    for (Probe probe : probes) {
      findings.waiting(
          probe.key("subscribe"),
          probe.trial().endpoint(),
          "The " + probe.word() + " is asked for a test subscription.",
          "");
      answers.put(probe, trials.subscribe(probe.trial()));
    }
    within(
        CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new)),
        bounds.answers());
    answers.forEach(
        (probe, answer) -> {
          Outcome outcome = answer.getNow(null);
          if (outcome == null) {
            probe.confirmed.complete("it did not answer within " + seconds(bounds.answers()));
          } else if (!outcome.accepted()) {
            probe.confirmed.complete(outcome.reason());
          } else if (outcome.confirmed()) {
            probe.confirmed.complete("");
          }
        });
    within(
        CompletableFuture.allOf(
            probes.stream().map(probe -> probe.confirmed).toArray(CompletableFuture[]::new)),
        bounds.verification());
    probes.forEach(this::noteSubscription);
  }

  private void noteSubscription(Probe probe) {
    String endpoint = probe.trial().endpoint();
    String key = probe.key("subscribe");
    if (probe.isConfirmed()) {
      findings.ok(key, endpoint, "The " + probe.word() + " accepts subscriptions to this feed.");
    } else if (probe.confirmed.isDone()) {
      findings.problem(
          key,
          endpoint,
          "The " + probe.word() + " refuses a subscription to this feed: " + probe.confirmed.join(),
          "Ask its operator, or name another " + probe.word() + " in the feed.");
    } else {
      findings.problem(
          key,
          endpoint,
          "The hub accepted the subscription, and did not verify it within "
              + seconds(bounds.verification())
              + ".",
          "The hub must be able to reach this gateway, at the host of " + own.hub() + ".");
    }
  }

  private void ping() {
    Map<Probe, CompletableFuture<Outcome>> answers = new LinkedHashMap<>();
    for (Probe probe : probes) {
      String endpoint = probe.trial().endpoint();
      TrialSubscriptions.pingUrl(probe.trial())
          .ifPresentOrElse(
              at -> {
                probe.pinged(clock.instant());
                answers.put(probe, trials.ping(probe.trial(), at));
              },
              () ->
                  findings.note(
                      probe.key("ping"),
                      endpoint,
                      "The feed does not say where this cloud takes pings, so it was not pinged.",
                      "Let your publishing program ping it."));
    }
    within(
        CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new)),
        bounds.answers());
    answers.forEach((probe, answer) -> notePing(probe, answer.getNow(null)));
  }

  private void notePing(Probe probe, @Nullable Outcome outcome) {
    String endpoint = probe.trial().endpoint();
    if (outcome != null && outcome.accepted()) {
      findings.ok(
          probe.key("ping"),
          endpoint,
          "The " + probe.word() + " takes pings of this feed" + said(outcome.reason()));
      return;
    }
    findings.problem(
        probe.key("ping"),
        endpoint,
        "The "
            + probe.word()
            + " does not take a ping of this feed: "
            + (outcome == null
                ? "it did not answer within " + seconds(bounds.answers())
                : outcome.reason()),
        "Ask its operator, or name another " + probe.word() + " in the feed.");
  }

  private static String said(String message) {
    return message.isBlank() ? "." : ": " + message;
  }

  private void listen() {
    List<Probe> open = probes.stream().filter(Probe::isConfirmed).toList();
    if (open.isEmpty()) {
      end();
      return;
    }
    Instant until = clock.instant().plus(bounds.delivery());
    listensUntil = until;
    List<CompletableFuture<Void>> noted = new ArrayList<>();
    for (Probe probe : open) {
      if (!probe.isDelivered()) {
        findings.waiting(
            probe.key("delivery"),
            probe.trial().endpoint(),
            "The check waits for a delivery.",
            "Publish an entry now to see it come.");
      }
      noted.add(probe.delivered.thenAccept(signed -> noteDelivery(probe, signed)));
    }
    Timer.Scheduled end = timer.at(until, this::end);
    var unused =
        CompletableFuture.anyOf(
                CompletableFuture.allOf(noted.toArray(CompletableFuture[]::new)), stopping)
            .thenRun(
                () -> {
                  end.cancel();
                  end();
                });
  }

  private void noteDelivery(Probe probe, boolean signed) {
    String endpoint = probe.trial().endpoint();
    String text = "A delivery arrived" + probe.delay(clock.instant());
    if (signed) {
      boolean secret = probe.trial().secret() != null;
      findings.ok(
          probe.key("delivery"), endpoint, text + (secret ? ", with a right signature." : "."));
    } else {
      findings.problem(
          probe.key("delivery"),
          endpoint,
          text + ", and its signature is missing or wrong.",
          "Subscribers with a secret will refuse it: tell the hub's operator.");
    }
  }

  /** Ends the subscriptions and the check. */
  private synchronized void end() {
    if (done.isDone()) {
      return;
    }
    for (Probe probe : probes) {
      if (probe.isConfirmed() && !probe.isDelivered()) {
        findings.note(
            probe.key("delivery"),
            probe.trial().endpoint(),
            "No delivery came within " + seconds(bounds.delivery()) + " after the ping.",
            "A hub or cloud may deliver only new entries: check again, and publish an entry while"
                + " the check waits.");
      }
      if (!stopping.isDone()) {
        var unused = trials.unsubscribe(probe.trial());
      }
    }
    done.complete(null);
  }

  /** Fails the check, for a reason inside the gateway. */
  void fail() {
    findings.problem(
        "failed", Findings.FEED, "The check failed in the gateway.", "Check again later.");
    end();
  }

  /** Waits for a future at most this long; the thread is of the check alone. */
  private void within(CompletableFuture<?> future, Duration bound) {
    CompletableFuture<Void> late = new CompletableFuture<>();
    Timer.Scheduled end = timer.at(clock.instant().plus(bound), () -> late.complete(null));
    CompletableFuture.anyOf(future, late, stopping).join();
    end.cancel();
  }

  private static String seconds(Duration time) {
    return time.toSeconds() + " s";
  }

  /** The check as it stands. */
  FeedCheck view(String page, Duration kept) {
    Instant until = listensUntil;
    boolean over = done.isDone();
    String verdict = over ? verdict() : null;
    return new FeedCheck(
        id,
        url,
        page,
        over ? FeedCheck.DONE : until == null ? FeedCheck.RUNNING : FeedCheck.LISTENING,
        verdict,
        verdict == null ? "" : FeedCheck.summary(verdict),
        startedAt,
        until,
        startedAt.plus(kept),
        findings.list());
  }

  private String verdict() {
    if (!reached && probes.stream().noneMatch(Probe::isConfirmed)) {
      return unasked ? FeedCheck.UNKNOWN : FeedCheck.UNCONNECTED;
    }
    return findings.has(FeedCheck.PROBLEM) ? FeedCheck.PARTLY : FeedCheck.CONNECTED;
  }
}
