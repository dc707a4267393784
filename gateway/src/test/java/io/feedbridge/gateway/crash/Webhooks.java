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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What endpoints of webhooks are sent, read as the reference library reads it. */
final class Webhooks {

  /** The id of a room begins so. */
  static final String ROOM = "!";

  private static final String ID = "webhook-id";

  private static final Pattern ID_OF_MESSAGE =
      Pattern.compile("msg_[0-9a-f]+_([0-9]{1,18})(?:_([0-9]{1,4}))?");

  /** The path of a message to a room. */
  private static final Pattern MESSAGE =
      Pattern.compile("_matrix/client/v3/rooms/(![^/]+)/send/m\\.room\\.message/([^/]+)");

  private Webhooks() {}

  /**
   * The path of the follower that is asked: a room of Matrix is asked at a path for each message.
   */
  static String path(Asked request) {
    Matcher message = MESSAGE.matcher(request.path());
    return message.matches() ? message.group(1) : request.path();
  }

  /** The challenge, if it is a verification; a room has only to take its message. */
  static Optional<String> challenge(Follower follower, Asked request) {
    if (follower.kind() == Follower.Kind.ROOM_WEBHOOK) {
      return id(request).startsWith("verify_") ? Optional.of("{}") : Optional.empty();
    }
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
    if (follower.kind() == Follower.Kind.ROOM_WEBHOOK) {
      return request.header("authorization").equals(Optional.of("Bearer " + follower.secret(0)));
    }
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

  /** The newest event of a document, which stands in the id of its message; 0 for none. */
  static long event(Asked request) {
    Matcher id = ID_OF_MESSAGE.matcher(id(request));
    return id.matches() ? Long.parseLong(id.group(1)) : 0;
  }

  /** The number of a message among the messages of its document, from 1. */
  static int part(Asked request) {
    Matcher id = ID_OF_MESSAGE.matcher(id(request));
    return id.matches() && id.group(2) != null ? Integer.parseInt(id.group(2)) : 1;
  }

  private static String id(Asked request) {
    Matcher message = MESSAGE.matcher(request.path());
    return message.matches() ? message.group(2) : request.header(ID).orElse("");
  }
}
