package io.feedbridge.gateway.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Target;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.intake.Intake;
import io.feedbridge.gateway.server.message.Request;
import io.feedbridge.gateway.server.message.Response;
import io.feedbridge.gateway.store.FeedCredentials;
import io.feedbridge.gateway.store.FeedQueries;
import io.feedbridge.gateway.store.FeedState;
import io.feedbridge.gateway.store.FollowedFeed;
import io.feedbridge.gateway.store.HeldBack;
import io.feedbridge.gateway.store.PrivateFeeds;
import io.feedbridge.gateway.store.Store;
import io.feedbridge.gateway.store.UpstreamSubscription;
import io.feedbridge.gateway.subscribers.FeedPrivacy;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.CallerThreads;
import io.feedbridge.gateway.web.common.ItemId;
import io.feedbridge.gateway.web.common.JsonBody;
import io.feedbridge.gateway.web.common.Page;
import io.feedbridge.gateway.web.common.TopicField;
import io.feedbridge.gateway.work.Via;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
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
  private static final int MAX_TEXT = 200;
  private static final String ENDED = "the operator of this hub has stopped following the topic";
  private static final String MOVED =
      "the feed has moved to another origin, where its credentials are not sent: follow the new URL"
          + " with credentials of its own";
  private static final ObjectMapper MAPPER = new ObjectMapper();

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

  /** The request for a new feed. */
  record New(
      @Nullable String url,
      @Nullable JsonNode auth,
      @Nullable JsonNode headers,
      @Nullable JsonNode userAgent,
      @Nullable JsonNode proxy) {

    private CredentialFields credentials() {
      return new CredentialFields(auth, headers, userAgent, proxy);
    }
  }

  /**
   * A feed as the API shows it.
   *
   * @param url its topic
   * @param kind feed, page, json or other; absent before the first fetch with success
   * @param problem the failure of its last fetch, or the fault of its document; absent for none
   * @param refusals the hubs and clouds that have refused it and are left alone at present
   * @param status as the schema has it, with times in Unix seconds
   * @param visibility private where its entries are for operators alone, since it has or had
   *     credentials; otherwise public
   * @param credentials the ones that are set, without their values; absent for none
   * @param heldBack which budget it waits for, or why its host is not asked, and until when; absent
   *     where it waits for neither
   */
  record View(
      String id,
      String url,
      @Nullable String title,
      @Nullable String kind,
      String state,
      @Nullable String problem,
      UpstreamView upstream,
      List<Refusal> refusals,
      JsonNode status,
      long subscribers,
      @Nullable Instant lastEventAt,
      String visibility,
      CredentialFields.@Nullable Shown credentials,
      @Nullable HeldBack heldBack) {}

  /**
   * How it is followed, or is about to be.
   *
   * @param signed whether the hub's deliveries must be signed; an unsigned one counts as a ping,
   *     and the feed is fetched; absent for clouds and polling
   */
  record UpstreamView(
      String kind,
      @Nullable String endpoint,
      @Nullable Boolean signed,
      @Nullable String state,
      @Nullable Instant leaseEndsAt,
      @Nullable String reason) {

    private static final UpstreamView POLL = new UpstreamView("poll", null, null, null, null, null);

    static UpstreamView of(UpstreamSubscription following) {
      return new UpstreamView(
          label(following.kind()),
          following.endpoint(),
          following.kind() == UpstreamSubscription.Kind.WEBSUB ? following.secret() != null : null,
          label(following.state()),
          following.leaseEndsAt(),
          following.reason());
    }
  }

  /**
   * A hub or cloud that has refused the feed.
   *
   * @param reason the endpoint's own, or the error of the request
   * @param until when it is asked again
   */
  record Refusal(String kind, String endpoint, @Nullable String reason, Instant until) {}

  /** {@code POST /feeds}. */
  CompletionStage<Response> create(Request request) {
    New asked = JsonBody.read(request, New.class);
    if (asked.url == null) {
      throw new BadFieldException("url", "it is missing");
    }
    String topic = TopicField.permitted("url", asked.url, bridges, policies);
    boolean known = store.feeds().byTopic(topic).filter(FollowedFeed::followed).isPresent();
    CredentialFields given = asked.credentials();
    CompletableFuture<?> followed =
        given.isAny() ? change(topic, given) : store.feeds().keep(List.of(topic), clock.instant());
    return followed.thenCompose(done -> blocking.supply(request, () -> created(topic, known)));
  }

  private Response created(String topic, boolean known) {
    FeedQueries.Item item = one(new FeedQueries.Filter(null, null, null, topic)).orElseThrow();
    return Answers.json(known ? OK : CREATED, view(item))
        .withHeader("Location", Api.BASE + "/feeds/" + item.feed().id());
  }

  private CompletableFuture<Void> change(String topic, CredentialFields given) {
    FeedCredentials credentials = given.appliedTo(privacy.of(topic));
    if (!credentials.isEmpty() && privacy.isFull(topic)) {
      throw new BadFieldException(
          "auth", "%,d feeds have credentials already".formatted(PrivateFeeds.MAX));
    }
    return privacy.set(topic, credentials);
  }

  /** {@code PATCH /feeds/{id}}. */
  CompletionStage<Response> change(Request request) {
    CredentialFields given = JsonBody.read(request, CredentialFields.class);
    Optional<FeedQueries.Item> found = item(request);
    if (found.isEmpty()) {
      return CompletableFuture.completedFuture(unknown());
    }
    CompletableFuture<Void> changed =
        given.isAny()
            ? change(found.get().feed().topic(), given)
            : CompletableFuture.completedFuture(null);
    return changed.thenCompose(done -> blocking.supply(request, () -> get(request)));
  }

  private Optional<FeedQueries.Item> one(FeedQueries.Filter filter) {
    return store.feedQueries().list(filter, 0, 1).stream().findFirst();
  }

  /** {@code GET /feeds}. */
  Response list(Request request) {
    Page page = Page.of(request);
    long after = ItemId.behind(page);
    FeedQueries.Filter filter =
        new FeedQueries.Filter(
            Page.parameter(request, "q").map(FeedsApi::text).orElse(null),
            choice(request, "state", FeedState.class).orElse(null),
            choice(request, "upstream", FeedQueries.Live.class).orElse(null),
            Page.parameter(request, "url")
                .map(url -> TopicField.of("url", url, bridges))
                .orElse(null));
    List<FeedQueries.Item> found = store.feedQueries().list(filter, after, page.limit() + 1);
    return Answers.json(OK, page.items(found, this::view, item -> Long.toString(item.feed().id())));
  }

  /** {@code GET /feeds/{id}}. */
  Response get(Request request) {
    return item(request).map(item -> Answers.json(OK, view(item))).orElseGet(FeedsApi::unknown);
  }

  /** {@code DELETE /feeds/{id}}. */
  CompletionStage<Response> delete(Request request) {
    boolean force = bool(request, "force");
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

  private View view(FeedQueries.Item item) {
    Status status = item.feed().status();
    Optional<FeedCredentials> credentials = store.privateFeeds().of(item.feed().id());
    List<UpstreamSubscription> upstreamSubscriptions =
        store.upstreamSubscriptions().ofFeed(item.feed().id());
    return new View(
        Long.toString(item.feed().id()),
        item.feed().topic(),
        item.feed().fetched().title(),
        item.feed().content(),
        label(item.feed().state()),
        problem(item.feed(), credentials),
        upstream(upstreamSubscriptions),
        refusals(upstreamSubscriptions),
        status(status),
        item.subscribers(),
        item.lastEventAt(),
        store.privateFeeds().contains(item.feed().id()) ? "private" : "public",
        credentials.map(CredentialFields.Shown::of).orElse(null),
        store.feeds().heldBack(item.feed().id()).orElse(null));
  }

  private static @Nullable String problem(
      FollowedFeed feed, Optional<FeedCredentials> credentials) {
    String problem = feed.problem();
    return problem == null && credentials.isPresent() && isElsewhere(feed) ? MOVED : problem;
  }

  private static boolean isElsewhere(FollowedFeed feed) {
    try {
      return !Target.parse(feed.url()).origin().equals(Target.parse(feed.topic()).origin());
    } catch (CallException noUrl) {
      return true;
    }
  }

  /** The one that is live, or else the one that is nearest to it. */
  private static UpstreamView upstream(List<UpstreamSubscription> upstreamSubscriptions) {
    return upstreamSubscriptions.stream()
        .filter(following -> following.state() != UpstreamSubscription.State.ENDING)
        .min(Comparator.comparing(FeedsApi::distance))
        .map(UpstreamView::of)
        .orElse(UpstreamView.POLL);
  }

  private static List<Refusal> refusals(List<UpstreamSubscription> upstreamSubscriptions) {
    return upstreamSubscriptions.stream()
        .filter(following -> following.state() == UpstreamSubscription.State.REFUSED)
        .map(
            following ->
                new Refusal(
                    label(following.kind()),
                    following.endpoint(),
                    following.reason(),
                    following.nextActionAt()))
        .toList();
  }

  private static int distance(UpstreamSubscription following) {
    return switch (following.state()) {
      case ACTIVE, RENEWING -> 0;
      case REQUESTED -> 1;
      case REQUESTING -> 2;
      case REFUSED -> 3;
      case ENDING -> 4;
    };
  }

  private static JsonNode status(Status status) {
    Feed nothing =
        new Feed(
            null, null, null, null, null, List.of(), List.of(), List.of(), Hints.NONE, List.of());
    try {
      return MAPPER.readTree(SuperfeedrJson.write(nothing, status)).path("status");
    } catch (IOException e) {
      throw new UncheckedIOException("Memory does not fail.", e);
    }
  }

  private Optional<FeedQueries.Item> item(Request request) {
    return ItemId.in(request).flatMap(store.feedQueries()::find);
  }

  private static Response unknown() {
    return Answers.problem(NOT_FOUND, "no such feed is followed");
  }

  private static String text(String text) {
    if (text.length() > MAX_TEXT) {
      throw new BadFieldException("q", "it must have at most %d characters".formatted(MAX_TEXT));
    }
    return text;
  }

  private static boolean bool(Request request, String name) {
    String value = Page.parameter(request, name).orElse("false");
    if (!value.equals("true") && !value.equals("false")) {
      throw new BadFieldException(name, "it must be true or false");
    }
    return value.equals("true");
  }

  private static <E extends Enum<E>> Optional<E> choice(
      Request request, String name, Class<E> type) {
    List<String> all = Arrays.stream(type.getEnumConstants()).map(FeedsApi::label).toList();
    Optional<String> value = Page.parameter(request, name);
    if (value.isPresent() && !all.contains(value.get())) {
      throw new BadFieldException(name, "it must be one of " + String.join(", ", all));
    }
    return value.map(chosen -> Enum.valueOf(type, chosen.toUpperCase(Locale.ROOT)));
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
