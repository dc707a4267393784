package io.feedbridge.gateway.intake;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.SelectedParts;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.store.upstream.UpstreamSubscriptions.Called;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.gateway.work.Work;
import io.feedbridge.gateway.work.WorkItem;
import io.feedbridge.rsscloud.WeblogPing;
import io.feedbridge.websub.HubRequest;
import io.feedbridge.websub.Signature;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes pings and deliveries. Each future completes only once the work is on disk, so a caller that
 * answers on its completion acknowledges nothing that a crash could lose; the future fails if the
 * work could not be written. Safe for use by several threads, event loops included.
 */
public final class Intake {

  /**
   * The most feeds that one page stands for: a blog's entries, its comments, each in several
   * formats.
   */
  static final int MAX_FEEDS_OF_A_PAGE = 10;

  /** The most feeds that one document stands for: itself, and the parts of it that are followed. */
  static final int MAX_FEEDS_OF_A_DOCUMENT = 1 + SelectedParts.MAX;

  private static final CompletableFuture<Boolean> NOTHING =
      CompletableFuture.completedFuture(false);

  private static final Logger log = LoggerFactory.getLogger(Intake.class);

  private final Store store;
  private final Work work;
  private final ActivityLog activity;
  private final Executor blocking;
  private final Clock clock;
  private final Meters meters;
  private final CloudNames cloudNames;
  private final ListedSites sites;

  /**
   * Wires the stage.
   *
   * @param blocking where the store is read
   */
  public Intake(
      Store store, Work work, ActivityLog activity, Executor blocking, Clock clock, Meters meters) {
    this.activity = activity;
    this.store = store;
    this.work = work;
    this.blocking = blocking;
    this.clock = clock;
    this.meters = meters;
    cloudNames = new CloudNames(store, clock);
    sites = new ListedSites(store.pings(), clock);
  }

  /** The outcome of a message from an upstream hub or cloud. */
  public enum Receipt {
    /** The message is durable, or needs no work. */
    ACCEPTED,
    /** Its signature is missing or wrong; it counts as a light ping, which is durable. */
    NOT_BELIEVED,
    /**
     * As {@link #NOT_BELIEVED}, but the caller may send no more light pings now: nothing is
     * fetched.
     */
    TOO_MANY,
    /** Nothing is subscribed under this callback. */
    UNWANTED
  }

  /**
   * A publisher says that a topic changed.
   *
   * @param topic normalised; the page of a feed stands for that feed
   * @return whether the gateway follows the topic; a topic that it does not follow is not fetched
   */
  public CompletableFuture<Boolean> ping(String topic, Via via) {
    return ping(topic, via, "").thenApply(feeds -> !feeds.isEmpty());
  }

  /**
   * A ping from a caller.
   *
   * @param caller the caller's IP address; empty for a ping of the gateway itself
   * @return the topics of the pinged feeds; empty if the gateway follows none of them
   */
  public CompletableFuture<List<String>> ping(String topic, Via via, String caller) {
    return ping(List.of(topic), via, caller, feed -> ListedSites.Site.of(topic, feed));
  }

  /**
   * Notes in the log that a request was refused, because it could not be understood.
   *
   * @param kind the kind of the request
   * @param feed as a registration names it; empty for none
   * @param peer the caller's IP address; the host of the callback where there is a feed
   * @param reason as the caller is told
   */
  public void refused(Kind kind, String feed, String peer, String reason) {
    activity.noteOfHost(kind, feed, peer, false, "refused: " + reason);
  }

  /**
   * A publisher says by one of several URLs that a site changed: the first that is a followed feed
   * counts, else the first that is the page of one.
   *
   * @param topics normalised, in the order in which to look for them
   * @param caller the caller's IP address
   * @return the topics of the pinged feeds; if the gateway follows none, nothing is fetched
   */
  public CompletableFuture<List<String>> ping(WeblogPing site, List<String> topics, String caller) {
    return ping(
        topics,
        Via.PING,
        caller,
        feed ->
            new ListedSites.Site(
                site.name(),
                site.site().orElse(topics.get(0)),
                site.feed().or(() -> feed.map(FollowedFeed::topic))));
  }

  private CompletableFuture<List<String>> ping(
      List<String> topics,
      Via via,
      String caller,
      Function<Optional<FollowedFeed>, ListedSites.Site> naming) {
    return CompletableFuture.supplyAsync(() -> meant(topics), blocking)
        .thenCompose(
            feeds -> {
              activity.noteOfHost(
                  Kind.PING,
                  feeds.isEmpty() ? topics.get(0) : feeds.get(0).topic(),
                  caller,
                  true,
                  (via == Via.PUBLISH ? "WebSub publish: " : "ping: ")
                      + (feeds.isEmpty()
                          ? "no subscriber follows this feed, it is not fetched"
                          : "the feed will be fetched"));
              meters.ping(via, feeds.isEmpty() ? Meters.Ping.UNKNOWN_FEED : Meters.Ping.ACCEPTED);
              List<CompletableFuture<?>> writes = new ArrayList<>();
              feeds.forEach(feed -> writes.add(light(feed.id(), via, caller)));
              if (via == Via.PING) {
                Optional<FollowedFeed> first = feeds.stream().findFirst();
                writes.add(sites.add(naming.apply(first)));
              }
              return CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new))
                  .thenApply(done -> feeds.stream().map(FollowedFeed::topic).toList());
            });
  }

  /**
   * A publisher sends its topic's content. The content is believed only if it is signed with the
   * secret of one of the topic's publishers (rule H17); else it is ignored.
   *
   * @param topic normalised
   */
  public CompletableFuture<Receipt> publication(String topic, HubRequest.FatContent content) {
    return CompletableFuture.supplyAsync(
            () ->
                store.publishers().of(topic).stream()
                    .anyMatch(publisher -> content.isSignedWith(publisher.secret())),
            blocking)
        .thenComposeAsync(
            signed -> {
              if (!signed) {
                meters.ping(Via.PUBLISH, Meters.Ping.BAD_SIGNATURE);
                return done(Receipt.NOT_BELIEVED);
              }
              Optional<FollowedFeed> feed =
                  store.feeds().byTopic(topic).filter(FollowedFeed::followed);
              if (feed.isEmpty()) {
                meters.ping(Via.PUBLISH, Meters.Ping.UNKNOWN_FEED);
                return done(Receipt.UNWANTED);
              }
              meters.ping(Via.PUBLISH, Meters.Ping.ACCEPTED);
              return work.add(
                      new WorkItem.Fat(
                          feed.get().id(),
                          Via.PUBLISH,
                          clock.instant(),
                          contentType(content.content()),
                          content.bytes()))
                  .thenApply(done -> Receipt.ACCEPTED);
            },
            blocking);
  }

  /** A form has no media type for its parts; the signature covers the text in UTF-8. */
  private static String contentType(String content) {
    return (content.stripLeading().startsWith("{") ? "application/json" : "application/xml")
        + "; charset=utf-8";
  }

  /**
   * An upstream cloud says that a feed changed.
   *
   * @param token of the callback that it called
   * @param topic normalised, as the cloud named it
   */
  public CompletableFuture<Receipt> notification(String token, String topic) {
    return CompletableFuture.supplyAsync(
            () -> called(token, UpstreamSubscription.Kind.RSSCLOUD), blocking)
        .thenCompose(
            found -> {
              if (found.isEmpty() || !found.get().subscription().isNamed(topic)) {
                return done(Receipt.UNWANTED);
              }
              UpstreamSubscription following = found.get().subscription();
              // Clouds test a handler before they register it. But it may also be the first real
              // notification, which overtook the answer to the registration.
              if (!following.state().isLive()
                  && following.state() != UpstreamSubscription.State.REQUESTED) {
                return done(Receipt.UNWANTED);
              }
              activity.note(
                  Kind.PUSH,
                  topic,
                  following.endpoint(),
                  true,
                  "cloud: notified, the feed will be fetched");
              meters.ping(Via.RSSCLOUD, Meters.Ping.ACCEPTED);
              return light(following.feedId(), Via.RSSCLOUD, following.endpoint())
                  .thenApply(done -> Receipt.ACCEPTED);
            });
  }

  /**
   * An upstream cloud says so at the gateway's common procedure, where no callback tells which
   * registration it means. The feed is found by its topic, or by the URL under which a cloud knows
   * it.
   *
   * @param topic normalised, as the cloud named it
   */
  public CompletableFuture<Receipt> notification(String topic) {
    return CompletableFuture.supplyAsync(() -> cloudNames.token(topic), blocking)
        .thenCompose(
            token ->
                token.map(one -> notification(one, topic)).orElseGet(() -> done(Receipt.UNWANTED)));
  }

  private List<FollowedFeed> meant(List<String> topics) {
    Stream<List<FollowedFeed>> documents =
        topics.stream().map(url -> store.feeds().ofDocument(url, MAX_FEEDS_OF_A_DOCUMENT));
    Stream<List<FollowedFeed>> pages =
        topics.stream().map(url -> store.feeds().ofPage(url, MAX_FEEDS_OF_A_PAGE));
    return Stream.concat(documents, pages)
        .filter(feeds -> !feeds.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  /**
   * An upstream hub delivers. Believed only if it is signed with the secret that was agreed; else
   * it is a light ping (rule S7, DESIGN §5).
   *
   * @param signature the {@code X-Hub-Signature} header
   * @param body not changed afterwards
   * @param admitsPing whether the caller may send one more light ping; asked only where the content
   *     is not believed, on a thread that may block
   */
  public CompletableFuture<Receipt> delivery(
      String token,
      @Nullable String signature,
      @Nullable String contentType,
      byte[] body,
      BooleanSupplier admitsPing) {
    // Not where the caller is, which may be an event loop: a signature over a long body takes time.
    return CompletableFuture.completedFuture(token)
        .thenComposeAsync(
            callback -> {
              Optional<Called> found = called(callback, UpstreamSubscription.Kind.WEBSUB);
              if (found.isEmpty() || !found.get().subscription().state().isLive()) {
                return done(Receipt.UNWANTED);
              }
              UpstreamSubscription following = found.get().subscription();
              if (following.secret() == null) {
                pushed(
                    found.get(), true, "delivered without a signature: the feed will be fetched");
                meters.ping(Via.WEBSUB, Meters.Ping.ACCEPTED);
                return light(following.feedId(), Via.WEBSUB, following.endpoint())
                    .thenApply(done -> Receipt.ACCEPTED);
              }
              return Signature.verify(signature, following.secret(), body)
                  ? believed(found.get(), contentType, body)
                  : notBelieved(found.get(), signature == null || signature.isBlank(), admitsPing);
            },
            blocking);
  }

  private CompletableFuture<Receipt> believed(
      Called called, @Nullable String contentType, byte[] body) {
    UpstreamSubscription following = called.subscription();
    pushed(called, true, "delivered " + body.length + " bytes");
    meters.ping(Via.WEBSUB, Meters.Ping.ACCEPTED);
    Instant now = clock.instant();
    return (following.trust().signs()
            ? NOTHING
            : store.upstreamSubscriptions().delivered(following.id(), true, now))
        .thenCompose(
            known ->
                work.add(
                    new WorkItem.Fat(
                        following.feedId(),
                        Via.WEBSUB,
                        now,
                        contentType,
                        body,
                        following.endpoint())))
        .thenApply(done -> Receipt.ACCEPTED);
  }

  private CompletableFuture<Receipt> notBelieved(
      Called called, boolean unsigned, BooleanSupplier admitsPing) {
    UpstreamSubscription following = called.subscription();
    meters.ping(Via.WEBSUB, Meters.Ping.BAD_SIGNATURE);
    if (!admitsPing.getAsBoolean()) {
      return done(Receipt.TOO_MANY);
    }
    pushed(
        called,
        false,
        "the signature is %s: the content is ignored, the feed will be fetched"
            .formatted(unsigned ? "missing" : "wrong"));
    return store
        .upstreams()
        .signatureFailed(following.kind(), following.endpoint(), clock.instant())
        .thenCompose(counted -> unsigned ? unsigned(following) : NOTHING)
        .thenCompose(counted -> light(following.feedId(), Via.WEBSUB, following.endpoint()))
        .thenApply(done -> Receipt.NOT_BELIEVED);
  }

  private void pushed(Called called, boolean success, String outcome) {
    activity.note(
        Kind.PUSH, called.feed(), called.subscription().endpoint(), success, "hub: " + outcome);
  }

  /** A hub that never signs is asked again without a secret, and then is not refused any more. */
  private CompletableFuture<Boolean> unsigned(UpstreamSubscription following) {
    return store
        .upstreamSubscriptions()
        .delivered(following.id(), false, clock.instant())
        .thenApply(
            again -> {
              if (again) {
                log.atInfo()
                    .addKeyValue("feed", following.feedId())
                    .addKeyValue("hub", following.endpoint())
                    .log("The hub never signs: the gateway subscribes again without a secret");
              }
              return again;
            });
  }

  private Optional<Called> called(String token, UpstreamSubscription.Kind kind) {
    return store
        .upstreamSubscriptions()
        .called(token)
        .filter(called -> called.subscription().kind() == kind);
  }

  /**
   * Adds a light item.
   *
   * @param sender the caller's IP address, or the URL of a hub or cloud; empty for none
   */
  private CompletableFuture<Void> light(long feedId, Via via, String sender) {
    String known = sender.isEmpty() ? null : sender;
    return work.add(new WorkItem.Light(feedId, via, clock.instant(), known));
  }

  private static CompletableFuture<Receipt> done(Receipt receipt) {
    return CompletableFuture.completedFuture(receipt);
  }
}
