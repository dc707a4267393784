package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The gateway's own form, by Standard Webhooks: one document of the schema. */
final class Standard extends SignedTarget {

  Standard(String url) {
    super(url, JSON, null);
  }

  @Override
  public List<byte[]> messages(FeedDocument document) {
    return List.of(document.json());
  }

  @Override
  public byte[] message(Announcement announcement) {
    return announcement.json();
  }

  @Override
  public @Nullable String refusal(Reply reply, String challenge, String origin) {
    if (!reply.successful()) {
      return "it answered HTTP %d and must return the challenge with a 2xx"
          .formatted(reply.status());
    }
    return new String(reply.body(), StandardCharsets.ISO_8859_1).contains(challenge)
        ? null
        : "it answered HTTP %d without the challenge in the body".formatted(reply.status());
  }
}
