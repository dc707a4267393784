package io.feedbridge.gateway.webhook;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Purpose;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A message to an endpoint.
 *
 * @param id the same on each retry, by which a receiver knows what it has already; no dot in it
 * @param body JSON in UTF-8; not copied, never changed
 */
@SuppressWarnings("ArrayRecordComponent") // one body is shared by all endpoints that get it
public record WebhookMessage(String id, byte[] body) {

  /** From connecting to the end of the answer. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Bytes of an answer that are read. */
  public static final int MAX_ANSWER = 64 * 1024;

  private static final String JSON = "application/json";

  /**
   * One attempt to send it: signed with each of the secrets, so that a receiver may know any one of
   * them; no redirect is followed.
   *
   * @param secrets those that are valid now, the newest first
   */
  public Call to(String url, List<WebhookSecret> secrets, Instant now, String userAgent) {
    long timestamp = now.getEpochSecond();
    String signatures =
        secrets.stream()
            .map(secret -> secret.sign(id, timestamp, body))
            .collect(Collectors.joining(" "));
    return Call.post(url, Purpose.CALLBACK, body)
        .header("Content-Type", JSON)
        .header("User-Agent", userAgent)
        .header("webhook-id", id)
        .header("webhook-timestamp", Long.toString(timestamp))
        .header("webhook-signature", signatures)
        .timeout(TIMEOUT)
        .connectTimeout(CONNECT_TIMEOUT)
        .truncateBodyAt(MAX_ANSWER)
        .build();
  }
}
