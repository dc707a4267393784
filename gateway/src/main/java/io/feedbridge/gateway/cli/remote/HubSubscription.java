package io.feedbridge.gateway.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.store.CallbackHost;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A subscription of one callback at the gateway's hub. The hub only accepts the request (202); the
 * outcome is found by looking at the subscriptions of the callback. For one thread.
 */
public final class HubSubscription {

  private static final String SUBSCRIPTIONS = "/api/v1/subscriptions";
  private static final String PENDING = "pending";
  private static final String NOT_RENEWED = "not renewed: ";

  private static final String BRIDGED = "?url=";

  private static final String KEPT =
      "the callback has not confirmed the renewal; the existing subscription is unchanged";

  /** Parts of the list that are looked at, of 500 subscriptions each. */
  private static final int MAX_PARTS = 20;

  /** How long the reason of a refusal may take to appear in the gateway's log. */
  private static final Duration REASON_WAIT = Duration.ofSeconds(2);

  private final GatewayClient client;
  private final String callback;
  private String topic;

  public HubSubscription(GatewayClient client, String topic, String callback) {
    this.client = client;
    this.topic = topic;
    this.callback = callback;
  }

  /**
   * Sends the request to the hub and waits for its outcome.
   *
   * @param more alternating names and values of further parameters of the request
   * @param wait the longest wait; zero returns at once, with the outcome pending
   */
  public Outcome ask(List<String> more, Duration wait) throws GatewayException {
    Set<String> before = new HashSet<>();
    long logged = 0;
    if (!wait.isZero()) {
      subscriptions().forEach(subscription -> before.add(key(subscription)));
      logged = log("subscription").stream().mapToLong(HubSubscription::id).max().orElse(0);
    }
    List<String> form =
        new ArrayList<>(
            List.of("hub.mode", "subscribe", "hub.topic", topic, "hub.callback", callback));
    form.addAll(more);
    GatewayClient.Answer answer = client.form("/hub", form.toArray(String[]::new));
    if (!answer.successful()) {
      throw client.refusal(answer);
    }
    return wait.isZero()
        ? new Outcome.Pending(null, null)
        : outcome(before, logged, new Pauses(wait));
  }

  private Outcome outcome(Set<String> before, long logged, Pauses pauses) throws GatewayException {
    boolean missed = false;
    while (true) {
      List<JsonNode> all = subscriptions();
      // Earlier subscriptions are of other topics, or are the one that this request renews.
      List<JsonNode> found =
          all.stream().filter(subscription -> !before.contains(key(subscription))).toList();
      Optional<JsonNode> waiting = found.stream().filter(HubSubscription::isPending).findFirst();
      if (waiting.isPresent()) {
        // The topic of a bridged feed's subscription is the feed itself.
        topic = waiting.get().path("topic").asText(topic);
        if (!pauses.pause()) {
          return new Outcome.Pending(waiting.get(), null);
        }
      } else if (!found.isEmpty()) {
        return new Outcome.Active(found.get(0));
      } else if (kept(all).isPresent()) {
        Optional<String> refusal = refusedRenewal(logged);
        if (refusal.isPresent()) {
          return new Outcome.Kept(kept(all).get(), refusal.get());
        }
        if (!pauses.pause()) {
          return new Outcome.Pending(kept(all).get(), KEPT);
        }
      } else if (missed) {
        return new Outcome.Denied(reason());
      }
      // The gateway lists active subscriptions first, then pending ones: a subscription that was
      // confirmed between the two is in neither.
      missed = found.isEmpty();
    }
  }

  private Optional<JsonNode> kept(List<JsonNode> all) {
    String normalized = normalized();
    return all.stream().filter(one -> one.path("topic").asText().equals(normalized)).findFirst();
  }

  private List<JsonNode> subscriptions() throws GatewayException {
    List<JsonNode> all = new ArrayList<>();
    String cursor = "";
    for (int part = 0; part < MAX_PARTS; part++) {
      JsonNode list =
          client.json(
              cursor.isEmpty()
                  ? client.get(
                      SUBSCRIPTIONS, "callback", callback, "protocol", "websub", "limit", "500")
                  : client.get(
                      SUBSCRIPTIONS,
                      "callback",
                      callback,
                      "protocol",
                      "websub",
                      "limit",
                      "500",
                      "cursor",
                      cursor));
      list.path("items").forEach(all::add);
      cursor = list.path("nextCursor").asText("");
      if (cursor.isEmpty()) {
        break;
      }
    }
    return all;
  }

  /** Differs once a request was made again, or a subscription was renewed. */
  private static String key(JsonNode subscription) {
    return String.join(
        " ",
        subscription.path("id").asText(),
        subscription.path("createdAt").asText(),
        subscription.path("leaseEndsAt").asText());
  }

  private static boolean isPending(JsonNode subscription) {
    return subscription.path("state").asText().equals(PENDING);
  }

  /** The reason in the gateway's log of the last minutes. */
  private @Nullable String reason() throws GatewayException {
    Pauses pauses = new Pauses(REASON_WAIT);
    do {
      List<JsonNode> drops = log("drop");
      if (!drops.isEmpty()) {
        return drops.get(0).path("outcome").asText();
      }
    } while (pauses.pause());
    return null;
  }

  /** Why a renewal came to nothing since; whether one waits yet is not to be seen. */
  private Optional<String> refusedRenewal(long logged) throws GatewayException {
    return log("subscription").stream()
        .filter(step -> id(step) > logged)
        .map(step -> step.path("outcome").asText())
        .filter(step -> step.contains(NOT_RENEWED))
        .map(step -> step.substring(step.indexOf(NOT_RENEWED)))
        .findFirst();
  }

  private static long id(JsonNode logged) {
    return logged.path("id").asLong();
  }

  /** The records of one kind in the gateway's log about the feed and the callback's host. */
  private List<JsonNode> log(String kind) throws GatewayException {
    JsonNode log =
        client.json(client.get("/log", "format", "json", "kind", kind, "feed", normalized()));
    List<JsonNode> found = new ArrayList<>();
    log.path("items").forEach(found::add);
    found.removeIf(one -> !one.path("peer").asText().equalsIgnoreCase(CallbackHost.of(callback)));
    return found;
  }

  /** The topic in the gateway's lists, where a bridged feed of the gateway is the feed itself. */
  private String normalized() {
    String bridged = client.base() + "/feed.";
    int url = topic.indexOf(BRIDGED);
    try {
      return TopicUrl.normalize(
          topic.startsWith(bridged) && url > 0
              ? URLDecoder.decode(topic.substring(url + BRIDGED.length()), StandardCharsets.UTF_8)
              : topic);
    } catch (BadHubRequestException | IllegalArgumentException e) {
      return topic;
    }
  }
}
