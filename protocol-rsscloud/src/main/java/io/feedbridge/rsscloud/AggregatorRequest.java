package io.feedbridge.rsscloud;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request that a cloud sends to an aggregator's callback. */
public sealed interface AggregatorRequest permits ChallengeRequest, NotificationRequest {

  /**
   * The most characters of a challenge. The rules say "any number is allowed", but the challenge is
   * echoed.
   */
  int MAX_CHALLENGE_LENGTH = 2048;

  /** The URL of the feed that the request is about, as the sender names it. */
  String url();

  /**
   * Tells the two apart: GET with {@code url} and {@code challenge}, or POST with {@code url}. The
   * test of a registration without a domain is a notification like any other.
   *
   * @param method the HTTP method, in capitals
   * @param parameters the decoded query of a GET, or form of a POST
   * @return empty if it is neither, or its URL is none
   */
  static Optional<AggregatorRequest> parse(String method, Map<String, List<String>> parameters) {
    Form form = new Form(parameters);
    try {
      Optional<String> url = form.single("url").filter(WebUrl::isValid);
      return switch (method) {
        case "GET" -> {
          Optional<String> challenge =
              form.single("challenge").filter(AggregatorRequest::isChallenge);
          yield url.flatMap(feed -> challenge.map(text -> new ChallengeRequest(feed, text)));
        }
        case "POST" -> url.map(NotificationRequest::new);
        default -> Optional.empty();
      };
    } catch (MalformedException ambiguous) {
      return Optional.empty();
    }
  }

  private static boolean isChallenge(String text) {
    return !text.isBlank()
        && text.length() <= MAX_CHALLENGE_LENGTH
        && text.chars().noneMatch(Character::isISOControl);
  }
}
