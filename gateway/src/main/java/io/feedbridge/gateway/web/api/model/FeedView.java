package io.feedbridge.gateway.web.api.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.client.address.CallException;
import io.feedbridge.gateway.client.address.Target;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.gateway.store.feeds.FeedCredentials;
import io.feedbridge.gateway.store.feeds.FollowedFeed;
import io.feedbridge.gateway.store.feeds.HeldBack;
import io.feedbridge.gateway.store.feeds.NamedHub;
import io.feedbridge.gateway.store.sql.Lists;
import io.feedbridge.gateway.store.sql.Store;
import io.feedbridge.gateway.store.sql.feeds.FeedQueries;
import io.feedbridge.gateway.store.upstream.UpstreamSubscription;
import io.feedbridge.gateway.web.api.fields.CredentialFields;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.normalizer.Feed;
import io.feedbridge.normalizer.Hints;
import io.feedbridge.normalizer.Status;
import io.feedbridge.normalizer.SuperfeedrJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A feed as the API shows it.
 *
 * @param url its topic
 * @param kind feed, list, page, json or other; absent before the first fetch with success
 * @param problem the failure of its last fetch, or the fault of its document; absent for none
 * @param refusals the hubs and clouds that have refused it and are left alone at present
 * @param status as the schema has it, with times in Unix seconds
 * @param lists how many lists it is followed for
 * @param visibility private where its entries are for operators alone, since it has or had
 *     credentials; otherwise public
 * @param hub the hub that the operator names for it
 * @param topic the URL by which that hub knows the feed; absent where it is the feed's own
 * @param credentials the ones that are set, without their values; absent for none
 * @param list the feeds that it lists; absent for a topic that is no list
 * @param heldBack which budget it waits for, or why its host is not asked, and until when; absent
 *     where it waits for neither
 */
public record FeedView(
    String id,
    String url,
    @Nullable String title,
    @Nullable String kind,
    String state,
    @Nullable String problem,
    Transport upstream,
    List<Refusal> refusals,
    JsonNode status,
    long subscribers,
    long lists,
    @Nullable Instant lastEventAt,
    @Nullable String hub,
    @Nullable String topic,
    String visibility,
    CredentialFields.@Nullable Shown credentials,
    Lists.@Nullable Summary list,
    @Nullable HeldBack heldBack) {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String MOVED =
      "the feed has moved to another origin, where its credentials are not sent: follow the new URL"
          + " with credentials of its own";

  /**
   * How it is followed, or is about to be.
   *
   * @param signed whether the hub's deliveries must be signed; an unsigned one counts as a ping,
   *     and the feed is fetched; absent for clouds and polling
   */
  public record Transport(
      String kind,
      @Nullable String endpoint,
      @Nullable Boolean signed,
      @Nullable String state,
      @Nullable Instant leaseEndsAt,
      @Nullable String reason) {

    private static final Transport POLL = new Transport("poll", null, null, null, null, null);

    static Transport of(UpstreamSubscription following) {
      return new Transport(
          Answers.word(following.kind()),
          following.endpoint(),
          following.kind() == UpstreamSubscription.Kind.WEBSUB ? following.secret() != null : null,
          Answers.word(following.state()),
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
  public record Refusal(String kind, String endpoint, @Nullable String reason, Instant until) {}

  /** A feed as it is in the store. Blocks. */
  public static FeedView of(FeedQueries.Item item, Store store) {
    NamedHub named = item.feed().named();
    Status status = item.feed().status();
    Optional<FeedCredentials> credentials = store.privateFeeds().of(item.feed().id());
    List<UpstreamSubscription> upstreamSubscriptions =
        store.upstreamSubscriptions().ofFeed(item.feed().id());
    return new FeedView(
        Long.toString(item.feed().id()),
        item.feed().topic(),
        item.feed().fetched().title(),
        item.feed().content(),
        Answers.word(item.feed().state()),
        problem(item.feed(), credentials),
        upstream(upstreamSubscriptions),
        refusals(upstreamSubscriptions),
        status(status),
        item.subscribers(),
        item.lists(),
        item.lastEventAt(),
        named == null ? null : named.hub(),
        named == null ? null : named.topic(),
        store.privateFeeds().contains(item.feed().id()) ? "private" : "public",
        credentials.map(CredentialFields.Shown::of).orElse(null),
        item.feed().isList() ? store.lists().summary(item.feed().id()) : null,
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
  private static Transport upstream(List<UpstreamSubscription> upstreamSubscriptions) {
    return upstreamSubscriptions.stream()
        .filter(following -> following.state() != UpstreamSubscription.State.ENDING)
        .min(Comparator.comparing(FeedView::distance))
        .map(Transport::of)
        .orElse(Transport.POLL);
  }

  private static List<Refusal> refusals(List<UpstreamSubscription> upstreamSubscriptions) {
    return upstreamSubscriptions.stream()
        .filter(following -> following.state() == UpstreamSubscription.State.REFUSED)
        .map(
            following ->
                new Refusal(
                    Answers.word(following.kind()),
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

  /** The title, or the URL of a feed without one. */
  public String name() {
    return title == null || title.isBlank() ? url : title;
  }

  /** The host of its URL. */
  public String host() {
    return CallbackHost.of(url).replaceFirst(":\\d+$", "");
  }

  /** A time of the status; absent where it has none. */
  public @Nullable Instant time(String name) {
    long seconds = status.path(name).asLong();
    return seconds > 0 ? Instant.ofEpochSecond(seconds) : null;
  }

  /** A text or number of the status; empty where it has none. */
  public String status(String name) {
    return status.path(name).asText();
  }

  /** How it is followed, in words. */
  public String followed() {
    String by =
        switch (upstream.kind()) {
          case "websub" -> "its WebSub hub";
          case "rsscloud" -> "its rssCloud server";
          default -> "polling";
        };
    if (state.equals("new")) {
      return "The gateway chooses how to follow this feed when it has read it for the first time.";
    }
    if (upstream.kind().equals("poll")) {
      return "The gateway polls this feed: no hub or cloud of the feed delivers it.";
    }
    return switch (String.valueOf(upstream.state())) {
      case "active", "renewing" ->
          "The gateway is subscribed at " + by + ". A slow poll watches over the pushes.";
      case "refused" ->
          "The gateway polls this feed, because " + by + " has refused the subscription.";
      default -> "The gateway asks " + by + " for a subscription, and polls until it is confirmed.";
    };
  }
}
