package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.RetryAfter;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a webhook's messages: the form of a message, the way to send it, and the meaning
 * of an answer. Immutable.
 */
public abstract class Target {

  /** From connecting to the end of the answer. */
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Bytes of an answer that are read. */
  public static final int MAX_ANSWER = 64 * 1024;

  static final Header JSON = new Header("Content-Type", "application/json");

  private static final int GONE = 410;

  /**
   * The messages of a document in the order in which they are sent; none where it brings nothing
   * that this target shows. The same document has the same messages.
   *
   * @throws BadTemplateException if a template does not make a message of it
   */
  public abstract List<byte[]> messages(FeedDocument document);

  /**
   * Whether it wants documents of several events with the newest entry of all first, to tell of the
   * entries one by one in the order in which they came.
   */
  public boolean newestFirst() {
    return false;
  }

  /** The message of an announcement. */
  public abstract byte[] message(Announcement announcement);

  /**
   * One attempt to send a message; no redirect is followed.
   *
   * @param secrets the secrets that are valid now, the newest first
   */
  public abstract Call call(WebhookMessage message, List<WebhookSecret> secrets, Instant now);

  /**
   * The call whose answer shows that the endpoint wants messages: a first message.
   *
   * @param origin the host by which the gateway is known
   */
  public Call first(
      WebhookMessage message, List<WebhookSecret> secrets, Instant now, String origin) {
    return call(message, secrets, now);
  }

  /** Why an answer to the first call shows no consent; absent if it does. */
  public @Nullable String refusal(Reply reply, String challenge, String origin) {
    return reply.successful()
        ? null
        : "it answered HTTP %d to a first message".formatted(reply.status());
  }

  /** Whether an answer says that the endpoint is no more. */
  public boolean isGone(Reply reply) {
    return reply.status() == GONE;
  }

  /** Whether an answer is about this one message, which the endpoint will never take. */
  public boolean refusesMessage(Reply reply) {
    return false;
  }

  /** A few words about an answer that is no success. */
  public String problem(Reply reply) {
    return "HTTP " + reply.status();
  }

  /** How long the endpoint asks to be left alone. */
  public Optional<Duration> retryAfter(Reply reply, Instant now) {
    return RetryAfter.of(reply, now);
  }

  /** A call as far as all targets have it in common. */
  static Call.Builder call(Call.Method method, Destination to, byte[] body) {
    return Call.of(method, to, Purpose.CALLBACK, body)
        .timeout(TIMEOUT)
        .connectTimeout(CONNECT_TIMEOUT)
        .truncateBodyAt(MAX_ANSWER);
  }

  static Header bearer(String token) {
    return new Header("Authorization", "Bearer " + token);
  }
}
