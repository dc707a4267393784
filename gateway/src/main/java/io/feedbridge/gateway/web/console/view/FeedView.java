package io.feedbridge.gateway.web.console.view;

import io.feedbridge.gateway.store.CallbackHost;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A feed as the API shows it.
 *
 * @param status as the schema has it, with times in Unix seconds
 * @param kind of document: feed, list, page, json or other; absent where that is not known
 * @param problem why its entries cannot be read; absent where they can
 * @param list absent for a topic that is no list
 */
public record FeedView(
    String id,
    String url,
    @Nullable String title,
    String state,
    Transport upstream,
    List<Refusal> refusals,
    Map<String, Object> status,
    long subscribers,
    long lists,
    @Nullable Instant lastEventAt,
    @Nullable Wait heldBack,
    @Nullable String kind,
    @Nullable String problem,
    @Nullable Members list) {

  /** The feeds of a list in numbers. */
  public record Members(long feeds, long followed, long refused, long leftOut) {}

  /** How it is followed, or is about to be. */
  public record Transport(
      String kind,
      @Nullable String endpoint,
      @Nullable String state,
      @Nullable Instant leaseEndsAt,
      @Nullable String reason) {}

  /** A hub or cloud that has refused the feed. */
  public record Refusal(String kind, String endpoint, @Nullable String reason, Instant until) {}

  /** Why it is not fetched before some time. */
  public record Wait(String reason, Instant until) {}

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
    return status.get(name) instanceof Number seconds && seconds.longValue() > 0
        ? Instant.ofEpochSecond(seconds.longValue())
        : null;
  }

  /** A text or number of the status; empty where it has none. */
  public String status(String name) {
    Object value = status.get(name);
    return value == null ? "" : value.toString();
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
