package io.feedbridge.gateway.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import io.feedbridge.gateway.crash.SinkHost.Asked;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What endpoints of webhooks are sent, read as the reference library reads it. */
final class Webhooks {

  private static final String ID = "webhook-id";

  private Webhooks() {}

  /** The challenge, if it is a verification. */
  static Optional<String> challenge(Asked request) {
    try {
      JsonNode body = new ObjectMapper().readTree(request.body());
      return body.path("type").asText().equals("endpoint.verification")
          ? Optional.of(body.path("challenge").asText())
          : Optional.empty();
    } catch (IOException noJson) {
      return Optional.empty();
    }
  }

  static boolean isSigned(Follower follower, Asked request) {
    Map<String, List<String>> headers =
        Stream.of(ID, "webhook-timestamp", "webhook-signature")
            .collect(
                Collectors.toMap(name -> name, name -> List.of(request.header(name).orElse(""))));
    try {
      new Webhook(String.valueOf(follower.secret(0)))
          .verify(
              new String(request.body(), StandardCharsets.UTF_8),
              HttpHeaders.of(headers, (name, value) -> true));
      return true;
    } catch (WebhookVerificationException e) {
      return false;
    }
  }

  /** The newest event of a document, which ends the id of its message; 0 where there is none. */
  static long event(Asked request) {
    String id = request.header(ID).orElse("");
    String event = id.substring(id.lastIndexOf('_') + 1);
    return event.matches("[0-9]{1,18}") ? Long.parseLong(event) : 0;
  }
}
