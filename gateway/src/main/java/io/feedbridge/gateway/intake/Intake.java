package io.feedbridge.gateway.intake;

import io.feedbridge.gateway.activity.Activity.Kind;
import io.feedbridge.gateway.activity.ActivityLog;
import io.feedbridge.gateway.metrics.Meters;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.Following;
import io.feedbridge.gateway.store.SitePing;
import io.feedbridge.gateway.store.Store;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes pings and deliveries. Each future completes only once the work is on disk, so whoever
 * answers on its completion acknowledges nothing that a crash could lose; it fails if the work
 * could not be written. Safe for use by several threads, event loops included.
 */
public final class Intake {

  /** A blog has a feed of its entries, one of its comments, and each perhaps in several formats. */
  static final int MAX_FEEDS_OF_A_PAGE = 10;

  /** Characters of a URL that is listed among the recent pings. */
  static final int MAX_LISTED_URL = 500;

  private static final CompletableFuture<Boolean> NOTHING =
      CompletableFuture.completedFuture(false);

  private static final Logger log = LoggerFactory.getLogger(Intake.class);

  private final Store store;
  private final Work work;
  private final ActivityLog activity;
  private final Executor blocking;
  private final Clock clock;
  private final Meters meters;

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
  }

  /** What became of a message from an upstream hub or cloud. */
  public enum Receipt {
    /** It is durable, or rightly needs nothing to be done. */
    ACCEPTED,
    /** Its signature is missing or wrong; it counts as a light ping, which is durable. */
    NOT_BELIEVED,
    /** Nothing is subscribed under this callback. */
    UNWANTED
  }

  /**
   * A publisher says that a topic changed.
   *
   * @param topic normalised; the page of a feed stands for that feed
   * @return whether anybody follows it; where nobody does, nothing is fetched
   */
  public CompletableFuture<Boolean> ping(String topic, Via via) {
    return ping(
            List.of(topic), via, feed -> new Named(feed.map(Intake::title).orElse(topic), topic))
        .thenApply(feeds -> !feeds.isEmpty());
  }

  /**
   * A publisher says by one of several URLs that a site changed: the first that is a followed feed
   * counts, else the first that is the page of one.
   *
   * @param topics normalised, in the order in which to look for them
   * @return the topics of the feeds that it is about; where nobody follows any, nothing is fetched
   */
  public CompletableFuture<List<String>> ping(WeblogPing site, List<String> topics) {
    return ping(
        topics, Via.PING, feed -> new Named(site.name(), site.site().orElse(topics.get(0))));
  }

  private record Named(String name, String url) {}

  private static String title(FollowedFeed feed) {
    String title = feed.fetched().title();
    return title == null ? feed.topic() : WeblogPing.shortened(title);
  }

  private CompletableFuture<List<String>> ping(
      List<String> topics, Via via, Function<Optional<FollowedFeed>, Named> naming) {
    return CompletableFuture.supplyAsync(() -> meant(topics), blocking)
        .thenCompose(
            feeds -> {
              activity.note(
                  Kind.PING,
                  feeds.isEmpty() ? topics.get(0) : feeds.get(0).topic(),
                  "",
                  true,
                  feeds.isEmpty() ? "nobody follows it" : "by " + via + ": it is fetched");
              meters.ping(via, feeds.isEmpty() ? Meters.Ping.UNKNOWN_FEED : Meters.Ping.ACCEPTED);
              List<CompletableFuture<?>> writes = new ArrayList<>();
              feeds.forEach(feed -> writes.add(light(feed.id(), via)));
              if (via == Via.PING) {
                Optional<FollowedFeed> first = feeds.stream().findFirst();
                writes.add(list(naming.apply(first), first));
              }
              return CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new))
                  .thenApply(done -> feeds.stream().map(FollowedFeed::topic).toList());
            });
  }

  /** For changes.xml; a site whose URL is of that length is not worth its place there. */
  private CompletableFuture<Void> list(Named site, Optional<FollowedFeed> feed) {
    if (site.url.length() > MAX_LISTED_URL) {
      return CompletableFuture.completedFuture(null);
    }
    String topic =
        feed.map(FollowedFeed::topic).filter(url -> url.length() <= MAX_LISTED_URL).orElse(null);
    return store.pings().record(new SitePing(site.name, site.url, topic, clock.instant()));
  }

  /**
   * A publisher sends what its topic has now. Believed only if it is signed with the secret of one
   * of the topic's publishers (rule H17); else nothing happens.
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

  /** A form has no media type for its parts, but what was signed is the text in UTF-8. */
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
    return following(token, Following.Kind.RSSCLOUD)
        .thenCompose(
            found -> {
              if (found.isEmpty() || !found.get().topic().equals(topic)) {
                return done(Receipt.UNWANTED);
              }
              Following following = found.get();
              // Clouds test a handler before they register it. But it may also be the first real
              // notification, which overtook the answer to the registration.
              if (!following.state().isLive() && following.state() != Following.State.REQUESTED) {
                return done(Receipt.UNWANTED);
              }
              activity.note(Kind.PING, topic, "", true, "by an upstream cloud: it is fetched");
              meters.ping(Via.RSSCLOUD, Meters.Ping.ACCEPTED);
              return light(following.feedId(), Via.RSSCLOUD).thenApply(done -> Receipt.ACCEPTED);
            });
  }

  /**
   * An upstream cloud says so at the gateway's common procedure, where no callback tells which
   * registration it means.
   *
   * @param topic normalised, as the cloud named it
   */
  public CompletableFuture<Receipt> notification(String topic) {
    return CompletableFuture.supplyAsync(
            () ->
                store.feeds().byTopic(topic).stream()
                    .flatMap(feed -> store.followings().ofFeed(feed.id()).stream())
                    .filter(following -> following.kind() == Following.Kind.RSSCLOUD)
                    .map(Following::token)
                    .findFirst(),
            blocking)
        .thenCompose(
            token ->
                token.map(one -> notification(one, topic)).orElseGet(() -> done(Receipt.UNWANTED)));
  }

  private List<FollowedFeed> meant(List<String> topics) {
    for (String topic : topics) {
      Optional<FollowedFeed> feed = store.feeds().byTopic(topic).filter(FollowedFeed::followed);
      if (feed.isPresent()) {
        return List.of(feed.get());
      }
    }
    for (String topic : topics) {
      List<FollowedFeed> feeds = store.feeds().ofPage(topic, MAX_FEEDS_OF_A_PAGE);
      if (!feeds.isEmpty()) {
        return feeds;
      }
    }
    return List.of();
  }

  /**
   * An upstream hub delivers. Believed only if it is signed with the secret that was agreed; else
   * it is a light ping (rule S7, DESIGN §5).
   *
   * @param signature the {@code X-Hub-Signature} header
   * @param body not changed afterwards
   */
  public CompletableFuture<Receipt> delivery(
      String token, @Nullable String signature, @Nullable String contentType, byte[] body) {
    // Not where the caller is, which may be an event loop: a signature over a long body takes time.
    return following(token, Following.Kind.WEBSUB)
        .thenComposeAsync(
            found -> {
              if (found.isEmpty() || !found.get().state().isLive()) {
                return done(Receipt.UNWANTED);
              }
              Following following = found.get();
              if (following.secret() == null) {
                meters.ping(Via.WEBSUB, Meters.Ping.ACCEPTED);
                return light(following.feedId(), Via.WEBSUB).thenApply(done -> Receipt.ACCEPTED);
              }
              if (!Signature.verify(signature, following.secret(), body)) {
                meters.ping(Via.WEBSUB, Meters.Ping.BAD_SIGNATURE);
                return store
                    .upstreams()
                    .signatureFailed(following.kind(), following.endpoint(), clock.instant())
                    .thenCompose(counted -> isUnsigned(signature) ? unsigned(following) : NOTHING)
                    .thenCompose(counted -> light(following.feedId(), Via.WEBSUB))
                    .thenApply(done -> Receipt.NOT_BELIEVED);
              }
              meters.ping(Via.WEBSUB, Meters.Ping.ACCEPTED);
              Instant now = clock.instant();
              return (following.trust().signs()
                      ? NOTHING
                      : store.followings().delivered(following.id(), true, now))
                  .thenCompose(
                      known ->
                          work.add(
                              new WorkItem.Fat(
                                  following.feedId(), Via.WEBSUB, now, contentType, body)))
                  .thenApply(done -> Receipt.ACCEPTED);
            },
            blocking);
  }

  private static boolean isUnsigned(@Nullable String signature) {
    return signature == null || signature.isBlank();
  }

  /** A hub that never signs is asked again without a secret, and then is not refused any more. */
  private CompletableFuture<Boolean> unsigned(Following following) {
    return store
        .followings()
        .delivered(following.id(), false, clock.instant())
        .thenApply(
            again -> {
              if (again) {
                log.atInfo()
                    .addKeyValue("feed", following.feedId())
                    .addKeyValue("hub", following.endpoint())
                    .log("The hub never signs: it is asked again without a secret");
              }
              return again;
            });
  }

  private CompletableFuture<Optional<Following>> following(String token, Following.Kind kind) {
    return CompletableFuture.supplyAsync(
        () -> store.followings().byToken(token).filter(following -> following.kind() == kind),
        blocking);
  }

  private CompletableFuture<Void> light(long feedId, Via via) {
    return work.add(new WorkItem.Light(feedId, via, clock.instant()));
  }

  private static CompletableFuture<Receipt> done(Receipt receipt) {
    return CompletableFuture.completedFuture(receipt);
  }
}
