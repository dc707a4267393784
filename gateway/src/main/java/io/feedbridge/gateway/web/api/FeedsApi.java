package io.feedbridge.gateway.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FeedState;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.FeedQueries;
import io.feedbridge.gateway.store.sql.subscriptions.PrivateFeeds;
import io.feedbridge.gateway.subscribers.FeedPrivacy;
import io.feedbridge.gateway.web.api.fields.CredentialFields;
import io.feedbridge.gateway.web.api.fields.HubFields;
import io.feedbridge.gateway.web.api.model.FeedView;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import io.feedbridge.gateway.work.Via;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/feeds}: the followed feeds, and the way in which each is followed. */
final class FeedsApi {

  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int ACCEPTED = 202;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final String ENDED = "the operator of this hub has stopped following the topic";

  private final Store store;
  private final Intake intake;
  private final BridgedUrls bridges;
  private final Policies policies;
  private final Clock clock;
  private final FeedPrivacy privacy;
  private final CallerThreads blocking;

  /**
   * Over a store.
   *
   * @param blocking where the store is read for an answer that had to wait
   */
  FeedsApi(
      Store store,
      Intake intake,
      BridgedUrls bridges,
      Policies policies,
      Clock clock,
      CallerThreads blocking) {
    privacy = new FeedPrivacy(store, clock);
    this.blocking = blocking;
    this.policies = policies;
    this.store = store;
    this.intake = intake;
    this.bridges = bridges;
    this.clock = clock;
  }

  /** The request for a new feed, or for the change of one, which has no url. */
  record New(
      @Nullable String url,
      @Nullable JsonNode hub,
      @Nullable JsonNode topic,
      @Nullable JsonNode auth,
      @Nullable JsonNode headers,
      @Nullable JsonNode userAgent,
      @Nullable JsonNode proxy) {

    private CredentialFields credentials() {
      return new CredentialFields(auth, headers, userAgent, proxy);
    }

    /** Finds a wrong field before anything is done. */
    private void check(Policies policies) {
      hubFields().check();
      FeedCredentials unused = credentials().appliedTo(FeedCredentials.NONE, policies.addresses());
    }

    private HubFields hubFields() {
      return new HubFields(hub, topic);
    }
  }

  /** {@code POST /feeds}. */
  CompletionStage<Response> create(Request request) {
    New asked = JsonBody.read(request, New.class);
    asked.check(policies);
    if (asked.url == null) {
      throw new BadFieldException("url", "it is missing");
    }
    String topic = TopicField.permitted("url", asked.url, bridges, policies);
    Optional<FollowedFeed> before = store.feeds().byTopic(topic);
    boolean known = before.filter(FollowedFeed::followed).isPresent();
    CredentialFields given = asked.credentials();
    HubFields hub = asked.hubFields();
    hub.check(before.map(FollowedFeed::named).orElse(null));
    CompletableFuture<?> followed =
        given.isAny()
            ? change(request, topic, given)
            : store.feeds().keep(List.of(topic), clock.instant());
    return followed.thenCompose(done -> blocking.supply(request, () -> created(topic, hub, known)));
  }

  private Response created(String topic, HubFields hub, boolean known) {
    FeedQueries.Filter only = new FeedQueries.Filter(null, null, null, topic);
    FeedQueries.Item item = one(only).orElseThrow();
    if (hub.isAny()) {
      store.upstreamSubscriptions().nameHub(item.feed().id(), hub::appliedTo).join();
      item = one(only).orElseThrow();
    }
    return Answers.json(known ? OK : CREATED, view(item))
        .withHeader("Location", Api.BASE + "/feeds/" + item.feed().id());
  }

  private CompletableFuture<Void> change(Request request, String topic, CredentialFields given) {
    return privacy.set(topic, () -> blocking.supply(request, () -> credentials(topic, given)));
  }

  private FeedCredentials credentials(String topic, CredentialFields given) {
    FeedCredentials credentials = given.appliedTo(privacy.of(topic), policies.addresses());
    if (!credentials.isEmpty() && privacy.isFull(topic)) {
      throw new BadFieldException(
          "auth", "%,d feeds have credentials already".formatted(PrivateFeeds.MAX));
    }
    return credentials;
  }

  /** {@code PATCH /feeds/{id}}. */
  CompletionStage<Response> change(Request request) {
    New asked = JsonBody.read(request, New.class);
    asked.check(policies);
    if (asked.url != null) {
      throw new BadFieldException("url", "it cannot be changed: follow the other URL");
    }
    CredentialFields given = asked.credentials();
    HubFields hub = asked.hubFields();
    Optional<FeedQueries.Item> found = item(request);
    if (found.isEmpty()) {
      return CompletableFuture.completedFuture(unknown());
    }
    FollowedFeed feed = found.get().feed();
    hub.check(feed.named());
    CompletableFuture<Void> changed =
        given.isAny()
            ? change(request, feed.topic(), given)
            : CompletableFuture.completedFuture(null);
    // After the credentials, which may be refused as a whole.
    return changed
        .thenCompose(
            done ->
                hub.isAny()
                    ? store.upstreamSubscriptions().nameHub(feed.id(), hub::appliedTo)
                    : CompletableFuture.completedFuture(null))
        .thenCompose(done -> blocking.supply(request, () -> get(request)));
  }

  private Optional<FeedQueries.Item> one(FeedQueries.Filter filter) {
    return store.feedQueries().list(filter, FeedQueries.Sort.ADDED, 0, 0, 1).stream().findFirst();
  }

  /** {@code GET /feeds}. */
  Response list(Request request) {
    Page page = Page.of(request);
    FeedQueries.Sort sort =
        choice(request, "sort", FeedQueries.Sort.class).orElse(FeedQueries.Sort.ADDED);
    Optional<Long> skipped = page.skipped(request);
    // The order of ids has a place that stays the same while feeds come and go.
    boolean byId = sort == FeedQueries.Sort.ADDED;
    long after = byId && skipped.isEmpty() ? ItemId.behind(page) : 0;
    if (!byId && skipped.isEmpty() && page.position().isPresent()) {
      throw Page.badCursor();
    }
    FeedQueries.Filter filter =
        new FeedQueries.Filter(
            Page.text(request).orElse(null),
            choice(request, "state", FeedState.class).orElse(null),
            choice(request, "upstream", FeedQueries.Live.class).orElse(null),
            Page.parameter(request, "url")
                .map(url -> TopicField.of("url", url, bridges))
                .orElse(null));
    long skip = skipped.orElse(0L);
    List<FeedQueries.Item> found =
        store.feedQueries().list(filter, sort, after, skip, page.limit() + 1);
    return Answers.json(
        OK,
        page.items(
                found,
                this::view,
                item -> byId ? Long.toString(item.feed().id()) : Page.after(skip + page.limit()))
            .counted(request, () -> store.feedQueries().count(filter)));
  }

  /** {@code GET /feeds/{id}}. */
  Response get(Request request) {
    return item(request).map(item -> Answers.json(OK, view(item))).orElseGet(FeedsApi::unknown);
  }

  /** {@code DELETE /feeds/{id}}. */
  CompletionStage<Response> delete(Request request) {
    boolean force = Page.flag(request, "force");
    Optional<FeedQueries.Item> found = item(request);
    Optional<Response> refusal =
        found.isEmpty() ? Optional.of(unknown()) : objection(found.get(), force);
    if (refusal.isPresent()) {
      return CompletableFuture.completedFuture(refusal.get());
    }
    long feed = found.get().feed().id();
    CompletableFuture<Void> dismissed =
        force ? privacy.dismiss(feed, ENDED) : CompletableFuture.completedFuture(null);
    return dismissed
        .thenCompose(done -> store.feedQueries().release(feed, clock.instant()))
        .thenApply(released -> Response.noContent());
  }

  private static Optional<Response> objection(FeedQueries.Item item, boolean force) {
    if (item.webhooks() > 0) {
      return Optional.of(
          Answers.problem(
              CONFLICT,
              "%d webhooks name this feed: take it out of their topics first"
                  .formatted(item.webhooks())));
    }
    if (item.lists() > 0) {
      return Optional.of(
          Answers.problem(
              CONFLICT,
              "%d lists have this feed, and their subscribers follow it".formatted(item.lists())));
    }
    if (item.subscribers() > 0 && !force) {
      return Optional.of(
          Answers.problem(
              CONFLICT,
              "it has %d subscribers; force=true ends their subscriptions and tells them"
                  .formatted(item.subscribers())));
    }
    return Optional.empty();
  }

  /** {@code POST /feeds/{id}/refresh}. */
  Response refresh(Request request) {
    Optional<FeedQueries.Item> found = item(request);
    if (found.isEmpty()) {
      return unknown();
    }
    var unused = intake.ping(found.get().feed().topic(), Via.PUBLISH).join();
    return Answers.json(ACCEPTED, view(found.get()));
  }

  private FeedView view(FeedQueries.Item item) {
    return FeedView.of(item, store);
  }

  private Optional<FeedQueries.Item> item(Request request) {
    return ItemId.in(request).flatMap(store.feedQueries()::find);
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "no such feed is followed");
  }

  private static <E extends Enum<E>> Optional<E> choice(
      Request request, String name, Class<E> type) {
    List<String> all = Arrays.stream(type.getEnumConstants()).map(Answers::word).toList();
    Optional<String> value = Page.parameter(request, name);
    if (value.isPresent() && !all.contains(value.get())) {
      throw new BadFieldException(name, "it must be one of " + String.join(", ", all));
    }
    return value.map(chosen -> Enum.valueOf(type, chosen.toUpperCase(Locale.ROOT)));
  }
}
