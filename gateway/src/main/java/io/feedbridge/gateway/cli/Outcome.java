package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/** What became of a request to subscribe, as far as it is known. */
sealed interface Outcome {

  /**
   * It is served from now on.
   *
   * @param subscription as the API shows it
   */
  record Active(JsonNode subscription) implements Outcome {}

  /**
   * It came to nothing, and the gateway has forgotten it.
   *
   * @param reason absent if the gateway does not tell any more
   */
  record Denied(@Nullable String reason) implements Outcome {}

  /**
   * It was to be renewed, and was not.
   *
   * @param subscription as the API shows it, which stays as it is
   * @param reason what the gateway's log says
   */
  record Kept(JsonNode subscription, String reason) implements Outcome {}

  /**
   * The gateway goes on asking the callback, or fetching the topic.
   *
   * @param subscription as the API shows it; absent if nobody looked
   * @param reason why it is not active yet, if that is known
   */
  record Pending(@Nullable JsonNode subscription, @Nullable String reason) implements Outcome {}
}
