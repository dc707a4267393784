package io.feedbridge.gateway.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.Replies;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import io.feedbridge.gateway.schedule.Timer;
import io.feedbridge.websub.IntentRequest;
import io.feedbridge.websub.Signature;
import io.feedbridge.websub.SignatureMethod;
import io.feedbridge.websub.SubscriptionMode;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The origins and hubs of all sites, in this process in place of sockets. */
final class FakeWeb implements Sender {

  /** From the publication of an entry to its delivery by a hub. */
  static final Duration PUSH = Duration.ofSeconds(2);

  private static final Duration VERIFY = Duration.ofSeconds(1);

  private final Map<String, Page> pages;
  private final Timer timer;
  private final Instant start;
  private final Duration span;

  /** Who takes what the hubs send. */
  private @Nullable Subscriber subscriber;

  /** The gateway as hubs see it. */
  interface Subscriber {
    /** Answers a hub's question, with its challenge if it is expected. */
    Optional<String> verify(String token, IntentRequest.Verify question);

    void deliver(String token, String signature, byte[] body);
  }

  /** A site, and who is subscribed to it. */
  private static final class Page {
    private final Site site;
    private final AtomicLong requests = new AtomicLong();
    private volatile @Nullable Subscription subscription;
    private int deliveries;

    Page(Site site) {
      this.site = site;
    }
  }

  private record Subscription(String token, String secret, Instant since, Instant until) {}

  FakeWeb(Collection<Site> sites, Timer timer, Instant start, Duration span) {
    pages = sites.stream().collect(Collectors.toMap(Site::topic, Page::new));
    this.timer = timer;
    this.start = start;
    this.span = span;
  }

  void subscriber(Subscriber gateway) {
    subscriber = gateway;
  }

  /** What was asked of a site and its hub so far. */
  long requests(Site site) {
    return page(site.topic()).requests.get();
  }

  private Page page(String topic) {
    return Objects.requireNonNull(pages.get(topic), topic);
  }

  @Override
  public CompletableFuture<Reply> send(Call call) {
    return CompletableFuture.completedFuture(
        call.method() == Call.Method.GET ? fetch(call) : ask(call));
  }

  private Reply fetch(Call call) {
    Page page = page(call.url());
    page.requests.incrementAndGet();
    int published = page.site.published(timer.clock().instant());
    String etag = "\"" + published + "\"";
    boolean known =
        call.headers().stream()
            .filter(header -> header.name().equals("If-None-Match"))
            .map(Header::value)
            .anyMatch(etag::equals);
    Map<String, String> headers = Map.of("ETag", etag, "Content-Type", "application/rss+xml");
    return known
        ? Replies.of(304, call.url(), headers, new byte[0])
        : Replies.of(200, call.url(), headers, page.site.document(published).getBytes(UTF_8));
  }

  private Reply ask(Call call) {
    Map<String, List<String>> form =
        new QueryStringDecoder(new String(call.body(), UTF_8), false).parameters();
    Function<String, String> field = name -> form.getOrDefault(name, List.of("")).get(0);
    Page page = page(field.apply("hub.topic"));
    page.requests.incrementAndGet();
    String callback = field.apply("hub.callback");
    String token = callback.substring(callback.lastIndexOf('/') + 1);
    Instant now = timer.clock().instant();
    boolean subscribes = field.apply("hub.mode").equals("subscribe");
    Duration lease = span.dividedBy(3);
    IntentRequest.Verify question =
        new IntentRequest.Verify(
            subscribes ? SubscriptionMode.SUBSCRIBE : SubscriptionMode.UNSUBSCRIBE,
            page.site.topic(),
            "challenge",
            subscribes ? Optional.of(lease) : Optional.empty(),
            Optional.of(field.apply("hub.verify_token")).filter(value -> !value.isEmpty()));
    Subscription asked = new Subscription(token, field.apply("hub.secret"), now, now.plus(lease));
    timer.at(now.plus(VERIFY), () -> verify(page, asked, question));
    return Replies.of(202, call.url(), Map.of(), new byte[0]);
  }

  private void verify(Page page, Subscription asked, IntentRequest.Verify question) {
    boolean confirmed =
        Objects.requireNonNull(subscriber).verify(asked.token, question).isPresent();
    Subscription now = page.subscription;
    if (confirmed && question.mode() == SubscriptionMode.SUBSCRIBE) {
      page.subscription = asked;
    } else if (confirmed && now != null && now.token.equals(asked.token)) {
      page.subscription = null;
    }
  }

  /** An entry was published a moment ago: the hub delivers it, if that is its way. */
  void deliver(Site site, int entry) {
    Page page = page(site.topic());
    Subscription subscription = page.subscription;
    Instant published = site.entries().get(entry);
    if (subscription == null
        || !subscription.until.isAfter(published)
        || !delivers(page, subscription, published)) {
      return;
    }
    byte[] body = site.document(entry, entry + 1).getBytes(UTF_8);
    Objects.requireNonNull(subscriber)
        .deliver(
            subscription.token,
            Signature.sign(SignatureMethod.SHA256, subscription.secret, body),
            body);
  }

  private boolean delivers(Page page, Subscription subscription, Instant published) {
    page.deliveries++;
    return switch (page.site.hub()) {
      case NONE -> false;
      case GOOD -> true;
      case SILENT -> published.isBefore(start.plus(span.dividedBy(6)));
      case DROPPING -> page.deliveries % 5 != 0;
      case FORGETTING -> published.isBefore(subscription.since.plus(span.dividedBy(10)));
    };
  }
}
