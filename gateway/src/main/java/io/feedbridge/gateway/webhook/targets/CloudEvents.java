package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.normalizer.Entry;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * CloudEvents 1.0 in JSON, by its HTTP binding: one event that has the document as its data
 * (structured mode), or one event for each entry in one message (batched mode). Consent is asked
 * for as "HTTP 1.1 Web Hooks for Event Delivery" §4 has it.
 */
final class CloudEvents extends SignedTarget {

  private static final Header STRUCTURED = new Header("Content-Type", CloudEvent.CONTENT_TYPE);
  private static final Header BATCHED =
      new Header("Content-Type", "application/cloudevents-batch+json; charset=UTF-8");
  private static final Header.Name REQUEST_ORIGIN = new Header.Name("WebHook-Request-Origin");
  private static final String ALLOWED_ORIGIN = "WebHook-Allowed-Origin";

  private static final int UNSUPPORTED = 415;

  /** Stands for the gateway itself, which announcements come from. */
  private static final String GATEWAY = "urn:feedbridge";

  private final boolean batched;

  CloudEvents(String url, @Nullable String token, boolean batched) {
    super(url, batched ? BATCHED : STRUCTURED, token);
    this.batched = batched;
  }

  @Override
  public boolean newestFirst() {
    return batched;
  }

  @Override
  public List<byte[]> messages(FeedDocument document) {
    if (!batched) {
      return List.of(CloudEvent.of(document));
    }
    List<Entry> entries = document.feed().entries();
    if (entries.isEmpty()) {
      return List.of(list(List.of(CloudEvent.of(document))));
    }
    List<byte[]> events = new ArrayList<>();
    for (int i = entries.size() - 1; i >= 0; i--) {
      Entry entry = entries.get(i);
      FeedDocument alone = document.of(entry);
      events.add(
          CloudEvent.of(
              document.eventId() + "-" + (entries.size() - i),
              alone.type(),
              document.status().feed(),
              entry.id(),
              document.at(),
              alone.json()));
    }
    return List.of(list(events));
  }

  @Override
  public byte[] message(Announcement announcement) {
    String id = UUID.randomUUID().toString();
    byte[] event = CloudEvent.of(id, announcement.type(), GATEWAY, null, null, announcement.json());
    return batched ? list(List.of(event)) : event;
  }

  private static byte[] list(List<byte[]> events) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write('[');
    for (byte[] event : events) {
      if (out.size() > 1) {
        out.write(',');
      }
      out.writeBytes(event);
    }
    out.write(']');
    return out.toByteArray();
  }

  @Override
  public Call first(
      WebhookMessage message, List<WebhookSecret> secrets, Instant now, String origin) {
    Call.Builder call =
        call(Call.Method.OPTIONS, destination, new byte[0]).header(REQUEST_ORIGIN.with(origin));
    return (token == null ? call : call.header(bearer(token))).build();
  }

  @Override
  public @Nullable String refusal(Reply reply, String challenge, String origin) {
    String allowed = reply.headers().first(ALLOWED_ORIGIN).map(String::strip).orElse("");
    if (reply.successful() && (allowed.equals("*") || allowed.equalsIgnoreCase(origin))) {
      return null;
    }
    return ("it answered OPTIONS with HTTP %d and %s '%s'; it must allow the origin '%s', or the"
            + " webhook is to be made with \"verified\"")
        .formatted(reply.status(), ALLOWED_ORIGIN, allowed, origin);
  }

  @Override
  public String problem(Reply reply) {
    return reply.status() == UNSUPPORTED
        ? "HTTP 415: it does not take CloudEvents in "
            + (batched ? "batched" : "structured")
            + " mode"
        : super.problem(reply);
  }
}
