package io.feedbridge.gateway.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** The outcome of a request to subscribe, as far as it is known. */
public sealed interface Outcome {

  /**
   * The subscription is active from now on.
   *
   * @param subscription as the API shows it
   */
  record Active(JsonNode subscription) implements Outcome {}

  /**
   * The request failed, and the gateway has forgotten it.
   *
   * @param reason absent if the gateway's log does not have it any more
   */
  record Denied(@Nullable String reason) implements Outcome {}

  /**
   * The webhook was made, and the gateway has disabled it.
   *
   * @param webhook as the API shows it
   */
  record Disabled(JsonNode webhook) implements Outcome {}

  /**
   * A renewal failed, and the subscription stays as it was.
   *
   * @param subscription as the API shows it
   * @param reason the reason in the gateway's log
   */
  record Kept(JsonNode subscription, String reason) implements Outcome {}

  /**
   * The gateway goes on asking the callback, or fetching the topic.
   *
   * @param subscription as the API shows it; absent if the outcome was not waited for
   * @param reason the reason for which it is not active yet, if known
   */
  record Pending(@Nullable JsonNode subscription, @Nullable String reason) implements Outcome {}
}
