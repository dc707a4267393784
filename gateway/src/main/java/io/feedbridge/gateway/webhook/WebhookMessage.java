package io.feedbridge.gateway.webhook;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.client.address.Purpose;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A message to an endpoint.
 *
 * @param id the same on each retry, by which a receiver recognises a repetition; no dot in it
 * @param body JSON in UTF-8; not copied, never changed
 */
@SuppressWarnings("ArrayRecordComponent") // one body is shared by all endpoints that get it
public record WebhookMessage(String id, byte[] body) {

  /** From connecting to the end of the answer. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Bytes of an answer that are read. */
  public static final int MAX_ANSWER = 64 * 1024;

  private static final Header JSON = new Header("Content-Type", "application/json");
  private static final Header.Name ID = new Header.Name("webhook-id");
  private static final Header.Name TIMESTAMP = new Header.Name("webhook-timestamp");
  private static final Header.Name SIGNATURE = new Header.Name("webhook-signature");

  /**
   * One attempt to send it: signed with each of the secrets, so that a receiver may know any one of
   * them; no redirect is followed.
   *
   * @param secrets the secrets that are valid now, the newest first
   */
  public Call to(Destination destination, List<WebhookSecret> secrets, Instant now) {
    long timestamp = now.getEpochSecond();
    String signatures =
        secrets.stream()
            .map(secret -> secret.sign(id, timestamp, body))
            .collect(Collectors.joining(" "));
    return Call.post(destination, Purpose.CALLBACK, body)
        .header(JSON)
        .header(ID.with(id))
        .header(TIMESTAMP.with(Long.toString(timestamp)))
        .header(SIGNATURE.with(signatures))
        .timeout(TIMEOUT)
        .connectTimeout(CONNECT_TIMEOUT)
        .truncateBodyAt(MAX_ANSWER)
        .build();
  }
}
