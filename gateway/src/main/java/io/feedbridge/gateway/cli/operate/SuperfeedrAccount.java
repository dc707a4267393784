package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The subscriptions of an account at Superfeedr, as {@code hub.mode=list} has them. */
final class SuperfeedrAccount {

  /** Subscriptions of a page, the most that Superfeedr lists. */
  static final int PAGE = 500;

  /** Tries of a page. */
  private static final int TRIES = 5;

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final GatewayClient client;
  private final CountDownLatch never = new CountDownLatch(1);

  SuperfeedrAccount(GatewayClient client) {
    this.client = client;
  }

  /**
   * A subscription there.
   *
   * @param endpoint its callback; not always a URL
   * @param secret empty where the list does not tell it, as Superfeedr's does not
   */
  record Listed(String topic, String endpoint, String format, String secret) {}

  /**
   * A page, from 1; fewer than {@link #PAGE} subscriptions are the last page.
   *
   * @throws GatewayException if it cannot be read, at last; it is passing where another page may be
   *     read all the same
   */
  List<Listed> page(int number) throws GatewayException {
    Duration pause = FIRST_PAUSE;
    for (int tries = 1; ; tries++) {
      GatewayException failure;
      try {
        GatewayClient.Answer answer =
            client.get(
                "/",
                "hub.mode",
                "list",
                "page",
                Integer.toString(number),
                "by_page",
                Integer.toString(PAGE));
        boolean passing = answer.status() == TOO_MANY_REQUESTS || answer.status() >= SERVER_ERROR;
        pause = answer.retryAfter().orElse(pause);
        if (!passing) {
          return read(answer);
        }
        failure = client.refusal(answer);
      } catch (GatewayException e) {
        if (!e.isPassing()) {
          throw e;
        }
        failure = e;
      }
      if (tries == TRIES) {
        throw failure;
      }
      await(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
      pause = pause.multipliedBy(2);
    }
  }

  private List<Listed> read(GatewayClient.Answer answer) throws GatewayException {
    if (!answer.successful()) {
      throw client.refusal(answer);
    }
    JsonNode list;
    try {
      list = MAPPER.readTree(answer.body());
    } catch (JsonProcessingException e) {
      throw new GatewayException("the page is no JSON", true);
    }
    JsonNode items = list.isArray() ? list : list.path("subscriptions");
    if (!items.isArray()) {
      throw new GatewayException("the page is no list of subscriptions", true);
    }
    List<Listed> found = new ArrayList<>();
    for (JsonNode item : items) {
      JsonNode one = item.has("subscription") ? item.path("subscription") : item;
      found.add(
          new Listed(
              one.path("feed").path("url").asText(""),
              one.path("endpoint").asText(""),
              one.path("format").asText(""),
              one.path("secret").isTextual() ? one.path("secret").asText() : ""));
    }
    return found;
  }

  private void await(Duration pause) throws GatewayException {
    try {
      var unused = never.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GatewayException("interrupted", false);
    }
  }
}
