package io.feedbridge.gateway.crash;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.crash.Fact.Wish;
import io.feedbridge.gateway.crash.Follower.Kind;
import io.feedbridge.gateway.testing.Http;
import io.feedbridge.gateway.testing.StoredRows;
import io.feedbridge.gateway.vault.KeyFile;
import io.feedbridge.gateway.vault.Sealed;
import io.feedbridge.websub.SignatureMethod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Makes, renews and ends subscriptions. Each request is repeated until it is answered well; then
 * the store is watched, from beside the running gateway, for what comes of it.
 */
final class Registrar {

  private static final Duration AGAIN = Duration.ofMillis(100);
  private static final int CREATED = 201;
  private static final List<String> SELDOM =
      List.of("every", Follower.WINDOW.toSeconds() + "s", "only", "new", "fields", "title");

  /** Its first message has the challenge, by which the sink knows it. */
  private static final String TEMPLATE_MEMBERS =
      """
      ,"target":"template","template":"{\\"type\\": \\"{{type}}\\", \\"challenge\\": \\"{{challenge}}\\", \
      \\"items\\": [{{#items}}{{^-first}}, {{/-first}}\
      {\\"id\\": \\"{{id}}\\", \\"title\\": \\"{{title}}\\"}{{/items}}]}"
      """
          .strip();

  private static final String SELDOM_MEMBERS =
      ",\"every\":\"%2$s\",\"only\":\"%4$s\",\"fields\":\"%6$s\"".formatted(SELDOM.toArray());

  private final Journal journal;
  private final Sinks sinks;
  private final Forms forms;
  private final Http http = new Http();
  private final String gateway;
  private final Path data;
  private final StoredRows rows;
  private final ScheduledExecutorService timer;
  private final Map<Follower, Integer> secrets = new ConcurrentHashMap<>();

  /** What the store does not show yet. */
  private final Map<Follower, Waiting> waiting = new ConcurrentHashMap<>();

  private volatile boolean watching;
  private volatile Duration repeatAfter = AGAIN;

  private record Waiting(Wish wish, int secret, CompletableFuture<Void> done) {}

  /**
   * For a gateway.
   *
   * @param gateway its URL
   * @param data its folder
   */
  Registrar(
      Journal journal,
      Sinks sinks,
      Forms forms,
      String gateway,
      Path data,
      StoredRows rows,
      ScheduledExecutorService timer) {
    this.journal = journal;
    this.sinks = sinks;
    this.forms = forms;
    this.gateway = gateway;
    this.data = data;
    this.rows = rows;
    this.timer = timer;
    var unused =
        timer.scheduleWithFixedDelay(this::look, 0, AGAIN.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether the gateway is up, so that its store can be looked at. */
  void watch(boolean up) {
    watching = up;
  }

  /**
   * Webhooks are asked for again only after the longest time for which a process is suspended: a
   * request without an answer may lie in such a process, which carries it out when it goes on, and
   * a webhook that is made twice gets each event twice, rightly.
   */
  void maySuspend(Duration longest) {
    repeatAfter = longest;
  }

  /** Subscribes, or renews with the next secret; completes when that is stored. */
  CompletableFuture<Void> subscribe(Follower follower) {
    sinks.add(follower);
    int secret = secrets.merge(follower, 0, (known, zero) -> known + 1);
    return ask(follower, Wish.SUBSCRIBE, secret);
  }

  /** Ends a subscription; completes when that is stored. */
  CompletableFuture<Void> unsubscribe(Follower follower) {
    return ask(follower, Wish.UNSUBSCRIBE, secrets.getOrDefault(follower, 0));
  }

  /** The follower has answered 410. */
  void left(Follower follower) {
    var unused = waiting.computeIfAbsent(follower, f -> waiting(Wish.UNSUBSCRIBE, 0));
  }

  /** Whether nothing is waited for. */
  boolean idle() {
    return waiting.isEmpty();
  }

  /** Whether something is under way for a follower. */
  boolean isBusy(Follower follower) {
    return waiting.containsKey(follower);
  }

  private static Waiting waiting(Wish wish, int secret) {
    return new Waiting(wish, secret, new CompletableFuture<>());
  }

  private CompletableFuture<Void> ask(Follower follower, Wish wish, int secret) {
    Waiting asked = waiting(wish, secret);
    waiting.put(follower, asked);
    journal.add(new Fact.Wanted(follower, wish, secret));
    sinks.wish(follower, wish, secret);
    request(follower, wish, secret);
    return asked.done;
  }

  private void request(Follower follower, Wish wish, int secret) {
    if (follower.kind().isWebhook()) {
      add(follower);
      return;
    }
    boolean light = follower.kind() == Kind.LIGHT;
    var unused =
        forms
            .send(
                gateway + (light ? "/pleaseNotify" : "/hub"),
                light ? registration(follower) : form(follower, wish, secret))
            .whenComplete(
                (answer, failure) -> {
                  boolean taken =
                      failure == null && (light ? registered(answer) : accepted(answer));
                  if (!taken && !timer.isShutdown()) {
                    again(() -> request(follower, wish, secret));
                  }
                });
  }

  /** One that was made although nobody was answered is not to be made again. */
  private void add(Follower follower) {
    String webhooks = gateway + "/api/v1/webhooks";
    boolean made;
    try {
      made = http.get(webhooks + "?limit=500").body().contains(follower.callback() + "\"");
    } catch (CompletionException away) {
      again(() -> add(follower));
      return;
    }
    if (made) {
      return;
    }
    String body =
        "{\"url\":\"%s\",\"topics\":[\"%s\"],\"secret\":\"%s\"%s}"
            .formatted(
                follower.callback(), follower.topic().url(), follower.secret(0), members(follower));
    var unused =
        http.post(webhooks, "application/json", body.getBytes(StandardCharsets.UTF_8))
            .whenComplete(
                (answer, failure) -> {
                  if ((failure != null || answer.statusCode() != CREATED) && !timer.isShutdown()) {
                    after(repeatAfter, () -> add(follower));
                  }
                });
  }

  private static String members(Follower follower) {
    return switch (follower.kind()) {
      case SELDOM_WEBHOOK -> SELDOM_MEMBERS;
      case TEMPLATE_WEBHOOK -> TEMPLATE_MEMBERS;
      case ROOM_WEBHOOK -> ",\"target\":\"matrix\",\"token\":\"%s\"".formatted(follower.secret(0));
      default -> "";
    };
  }

  private void again(Runnable step) {
    after(AGAIN, step);
  }

  private void after(Duration rest, Runnable step) {
    var unused = timer.schedule(step, rest.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static boolean accepted(HttpResponse<String> answer) {
    return answer.statusCode() == 202;
  }

  private static boolean registered(HttpResponse<String> answer) {
    return answer.statusCode() == 200 && answer.body().contains("success=\"true\"");
  }

  private static String[] registration(Follower follower) {
    return new String[] {
      "notifyProcedure",
      "",
      "domain",
      follower.host().address(),
      "port",
      Integer.toString(follower.host().port()),
      "path",
      "/" + follower.path(),
      "protocol",
      "http-post",
      "url1",
      follower.topic().url()
    };
  }

  private static String[] form(Follower follower, Wish wish, int number) {
    List<String> form = new ArrayList<>();
    form.addAll(List.of("hub.mode", wish.name().toLowerCase(Locale.ROOT)));
    form.addAll(List.of("hub.topic", follower.topic().url()));
    form.addAll(List.of("hub.callback", follower.callback()));
    String secret = follower.secret(number);
    SignatureMethod method = follower.method();
    if (wish == Wish.SUBSCRIBE) {
      switch (follower.kind()) {
        case SELDOM -> {
          form.addAll(List.of("format", "json"));
          form.addAll(SELDOM);
        }
        case DIGEST -> form.addAll(List.of("format", "atom", "superfeedr.digest", "true"));
        default -> form.addAll(List.of("format", follower.kind().name().toLowerCase(Locale.ROOT)));
      }
      form.addAll(List.of("hub.lease_seconds", Long.toString(follower.lease().toSeconds())));
      if (secret != null && method != null) {
        form.addAll(List.of("hub.secret", secret, "hub.signature_method", method.value()));
      }
    }
    return form.toArray(String[]::new);
  }

  private void look() {
    if (!watching || waiting.isEmpty()) {
      return;
    }
    // Who is waited for must be known before the store is read.
    Map<Follower, Waiting> waitedFor = Map.copyOf(waiting);
    Map<String, String> terms = new HashMap<>();
    try {
      for (String row : rows.query("SELECT callback, terms FROM subscription")) {
        String[] column = row.split("\\|", 2);
        terms.put(column[0], column[1]);
      }
      for (String url : rows.query("SELECT url FROM webhook WHERE state = 'ACTIVE'")) {
        terms.put(url, "");
      }
    } catch (IllegalStateException justKilled) {
      return;
    }
    waitedFor.forEach((follower, wanted) -> compare(follower, wanted, terms));
  }

  private void compare(Follower follower, Waiting wanted, Map<String, String> terms) {
    String stored = terms.get(follower.callback());
    if (wanted.wish == Wish.UNSUBSCRIBE ? stored != null : !has(stored, follower, wanted.secret)) {
      return;
    }
    if (waiting.remove(follower, wanted)) {
      journal.add(
          wanted.wish == Wish.UNSUBSCRIBE
              ? new Fact.Gone(follower)
              : new Fact.Applied(follower, wanted.secret));
      wanted.done.complete(null);
    }
  }

  private boolean has(
      @org.jspecify.annotations.Nullable String stored, Follower follower, int number) {
    String secret = follower.kind().isWebhook() ? null : follower.secret(number);
    return stored != null && (secret == null || secret.equals(opened(stored, follower)));
  }

  /** The secret of a subscription, which is encrypted in the store. */
  private @org.jspecify.annotations.Nullable String opened(String terms, Follower follower) {
    try {
      String sealed = new ObjectMapper().readTree(terms).path("secret").asText(null);
      return sealed == null
          ? null
          : KeyFile.in(data)
              .read()
              .orElseThrow()
              .openText(
                  Sealed.of(sealed), "subscriber", follower.topic().url(), follower.callback());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
