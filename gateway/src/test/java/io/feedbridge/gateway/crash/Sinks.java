package io.feedbridge.gateway.crash;

import io.feedbridge.gateway.client.address.Transport;
import io.feedbridge.gateway.crash.Fact.Fault;
import io.feedbridge.gateway.crash.Fact.Wish;
import io.feedbridge.gateway.crash.Follower.Kind;
import io.feedbridge.gateway.crash.Follower.Temper;
import io.feedbridge.gateway.crash.SinkHost.Answer;
import io.feedbridge.gateway.crash.SinkHost.Asked;
import io.feedbridge.gateway.testing.FreePort;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** All followers' callbacks: they record whatever arrives, and answer as their temper says. */
final class Sinks implements SinkHost.Sink, AutoCloseable {

  private static final String RELAY = "relay";
  private static final String DIGEST = "digest-";
  private static final int SLOWEST_MILLIS = 2_500;

  /** How many deliveries one that will leave takes before. */
  private static final int TAKEN_BEFORE_LEAVING = 4;

  private final Journal journal;
  private final ScheduledExecutorService timer;
  private final Consumer<Fact.Arrived> onArrival;
  private final Consumer<Follower> onLeave;
  private final Random random;
  private final EventLoopGroup loops = Transport.best().newGroup(2, "sinks");
  private final Map<String, SinkHost> hosts = new ConcurrentHashMap<>();
  private final Map<String, Follower> followers = new ConcurrentHashMap<>();
  private final Map<Follower, Wish> wishes = new ConcurrentHashMap<>();
  private final Map<Follower, Integer> secrets = new ConcurrentHashMap<>();
  private final Map<Follower, Integer> taken = new ConcurrentHashMap<>();

  /** Those whose last delivery was refused: the next one is taken. */
  private final Set<Follower> refused = ConcurrentHashMap.newKeySet();

  /**
   * Whether the server refused the last ping: it takes the next one. The pauses after several
   * failures in a row are longer than a run waits for its end.
   */
  private volatile boolean pingRefused;

  private final Set<Follower> held = ConcurrentHashMap.newKeySet();
  private final Set<Follower> refusing = ConcurrentHashMap.newKeySet();
  private volatile boolean hanging;
  private volatile boolean calm;

  /**
   * No hosts yet.
   *
   * @param onArrival is told of each delivery after it was recorded; returns at once
   * @param onLeave is told of a follower that answers 410
   */
  Sinks(
      Journal journal,
      ScheduledExecutorService timer,
      long seed,
      Consumer<Fact.Arrived> onArrival,
      Consumer<Follower> onLeave) {
    this.journal = journal;
    this.onLeave = onLeave;
    this.timer = timer;
    this.onArrival = onArrival;
    random = new Random(seed);
  }

  /** A host of this name, made if need be, on the next loopback address. */
  SinkHost.Place host(String name) {
    SinkHost host = hosts.get(name);
    if (host == null) {
      String address = "127.0.0." + (2 + hosts.size());
      host = new SinkHost(new SinkHost.Place(address, FreePort.next(address)), loops, this);
      hosts.put(name, host);
    }
    return host.place();
  }

  /** Those who die at times cannot be reached, or can. */
  void vanish(Temper temper, boolean now) {
    SinkHost host = hosts.get(temper.name());
    if (host != null && now) {
      host.vanish();
    } else if (host != null) {
      host.listen();
    }
  }

  void add(Follower follower) {
    followers.put(follower.path(), follower);
  }

  /** What the follower will confirm when it is asked, and the secret that it knows of from now. */
  void wish(Follower follower, Wish wish, int secret) {
    secrets.put(follower, secret);
    wishes.put(follower, wish);
  }

  /** Those who hang at times do so, or not. */
  void hang(boolean now) {
    hanging = now;
  }

  /** Deliveries to one follower stay without an answer until all are {@link #calm}. */
  void hold(Follower follower) {
    held.add(follower);
  }

  /** Deliveries to one follower are answered 500 until all are {@link #calm}. */
  void refuse(Follower follower) {
    refusing.add(follower);
  }

  /** Everybody takes what it is sent from now on. */
  void calm() {
    calm = true;
    held.clear();
    refusing.clear();
    hanging = false;
    hosts.values().forEach(SinkHost::listen);
  }

  /** Where the server listens that is told of changes, as a hub. */
  String relayTarget() {
    return host("relay").url() + "/" + RELAY;
  }

  private CompletionStage<Answer> told(Asked request) {
    String body = new String(request.body(), StandardCharsets.UTF_8);
    boolean taken = calm || pingRefused || below(3) > 0;
    pingRefused = !taken;
    String topic = Http.first(new QueryStringDecoder(body, false).parameters(), "hub.url");
    return done(
        taken ? 204 : 503, "", status -> journal.add(new Fact.Relayed(topic, status == 204)));
  }

  @Override
  public CompletionStage<Answer> take(Asked request) {
    if (request.path().equals(RELAY)) {
      return told(request);
    }
    Follower follower = followers.get(Webhooks.path(request));
    if (follower == null) {
      return done(404, "nobody", status -> {});
    }
    if (follower.kind().isWebhook()) {
      Optional<String> challenge = Webhooks.challenge(follower, request);
      if (challenge.isPresent()) {
        return verified(follower, request, challenge.get());
      }
    }
    return request.method().equals("GET") ? confirm(follower, request) : deliver(follower, request);
  }

  private CompletionStage<Answer> verified(Follower follower, Asked request, String challenge) {
    return Webhooks.isSigned(follower, request)
        ? done(200, challenge, status -> journal.add(new Fact.Confirmed(follower, Wish.SUBSCRIBE)))
        : done(401, "the challenge is not signed", status -> {});
  }

  private CompletionStage<Answer> confirm(Follower follower, Asked request) {
    boolean light = follower.kind() == Kind.LIGHT;
    String topic = request.parameter(light ? "url" : "hub.topic").orElse("");
    Wish asked =
        light
            ? Wish.SUBSCRIBE
            : Wish.valueOf(request.parameter("hub.mode").orElse("").toUpperCase(Locale.ROOT));
    if (!topic.equals(follower.topic().url()) || asked != wishes.get(follower)) {
      return done(404, "not mine", status -> {});
    }
    return done(
        200,
        request.parameter(light ? "challenge" : "hub.challenge").orElse(""),
        status -> journal.add(new Fact.Confirmed(follower, asked)));
  }

  private CompletionStage<Answer> deliver(Follower follower, Asked request) {
    String id = request.header("Feedbridge-Event").orElse("0");
    boolean isDigest = id.startsWith(DIGEST);
    long number = Long.parseLong(isDigest ? id.substring(DIGEST.length()) : id);
    long event = follower.kind().isWebhook() ? Webhooks.event(request) : isDigest ? 0 : number;
    Reading reading = Reading.of(follower, request.body());
    int secret = secretOf(follower, request);
    Fault wrong = reading.wrong() != null ? reading.wrong() : faultOf(follower, request, secret);
    Fact.Arrived arrived = new Fact.Arrived(follower, event, reading.entries(), secret, wrong);
    int part = follower.kind().isWebhook() ? Webhooks.part(request) : 1;
    if (part == 1) {
      journal.add(isDigest ? new Fact.Digested(arrived, number) : arrived);
    }
    onArrival.accept(arrived);
    return answer(
        follower,
        new Answer(
            statusFor(follower),
            "",
            sent -> {
              if (part > 1) {
                taken(sent, new Fact.Continued(arrived, part));
              } else if (isDigest) {
                taken(sent, new Fact.DigestTaken(follower, number));
              } else {
                answered(follower, event, sent);
              }
            }));
  }

  private void taken(int status, Fact fact) {
    if (status / 100 == 2) {
      journal.add(fact);
    }
  }

  private CompletionStage<Answer> answer(Follower follower, Answer answer) {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    if (isHanging(follower)) {
      return answered;
    }
    if (follower.temper() == Temper.SLOW && !calm) {
      var unused =
          timer.schedule(
              () -> answered.complete(answer), below(SLOWEST_MILLIS), TimeUnit.MILLISECONDS);
    } else {
      answered.complete(answer);
    }
    return answered;
  }

  private void answered(Follower follower, long event, int status) {
    Fact.Answered answered = new Fact.Answered(follower, event, status);
    journal.add(answered);
    if (answered.leaves()) {
      onLeave.accept(follower);
    }
  }

  private boolean isHanging(Follower follower) {
    return held.contains(follower) || (hanging && follower.temper() == Temper.HANGING);
  }

  private int statusFor(Follower follower) {
    if (refusing.contains(follower)) {
      return 500;
    }
    if (follower.temper() == Temper.LEAVING
        && taken.merge(follower, 1, Integer::sum) > TAKEN_BEFORE_LEAVING) {
      return 410;
    }
    boolean refuses =
        !calm
            && (follower.temper() == Temper.FAILING || follower.temper() == Temper.RESETTING)
            && below(3) == 0
            && refused.add(follower);
    if (!refuses) {
      refused.remove(follower);
      return 204;
    }
    return follower.temper() == Temper.FAILING ? 500 : below(2) == 0 ? Answer.RESET : Answer.CLOSE;
  }

  private int below(int bound) {
    synchronized (random) {
      return random.nextInt(bound);
    }
  }

  /** The number of the secret that signed it; -1 for none. */
  private int secretOf(Follower follower, Asked request) {
    if (follower.kind().isWebhook()) {
      return Webhooks.isSigned(follower, request) ? 0 : -1;
    }
    String signature = request.header("X-Hub-Signature").orElse(null);
    for (int number = secrets.getOrDefault(follower, 0); number >= 0; number--) {
      String secret = follower.secret(number);
      if (secret != null && Signature.verify(signature, secret, request.body())) {
        return number;
      }
    }
    return -1;
  }

  private @Nullable Fault faultOf(Follower follower, Asked request, int secret) {
    if (follower.kind().isWebhook()) {
      return secret < 0
          ? new Fault(Rule.SIGNATURE, "a signature that is not its own: " + request.headers())
          : null;
    }
    String signature = request.header("X-Hub-Signature").orElse(null);
    SignatureMethod method = follower.method();
    if (method == null ? signature != null : secret < 0) {
      return signature != null && isOfAnother(signature, request.body())
          ? new Fault(Rule.CROSSING, "signed with another one's secret")
          : new Fault(Rule.SIGNATURE, "the signature is " + signature);
    }
    if (method != null && signature != null && !signature.startsWith(method.value() + "=")) {
      return new Fault(Rule.SIGNATURE, signature + " instead of " + method);
    }
    if (follower.kind() == Kind.LIGHT) {
      return null;
    }
    String link = request.header("Link").orElse("");
    boolean mine =
        request.header("X-PubSubHubbub-Topic").orElse("").equals(follower.topic().url())
            && request.header("X-PubSubHubbub-Callback").orElse("").equals(follower.callback())
            && link.contains("<" + follower.topic().url() + ">; rel=\"self\"");
    return mine ? null : new Fault(Rule.CROSSING, request.headers().toString());
  }

  private boolean isOfAnother(String signature, byte[] body) {
    return secrets.entrySet().stream()
        .anyMatch(
            known -> {
              String secret = known.getKey().secret(known.getValue());
              return secret != null && Signature.verify(signature, secret, body);
            });
  }

  private static CompletionStage<Answer> done(int status, String text, IntConsumer onSend) {
    return CompletableFuture.completedFuture(new Answer(status, text, onSend));
  }

  @Override
  public void close() {
    hosts.values().forEach(SinkHost::close);
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
