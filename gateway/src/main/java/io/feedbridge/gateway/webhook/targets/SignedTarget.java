package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Header;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A program that may verify the signatures of Standard Webhooks, in whatever form the body is. */
abstract class SignedTarget extends Target {

  private static final Header.Name ID = new Header.Name("webhook-id");
  private static final Header.Name TIMESTAMP = new Header.Name("webhook-timestamp");
  private static final Header.Name SIGNATURE = new Header.Name("webhook-signature");

  final Destination destination;
  private final Header contentType;
  final @Nullable String token;

  SignedTarget(String url, Header contentType, @Nullable String token) {
    destination = new Destination(url);
    this.contentType = contentType;
    this.token = token;
  }

  @Override
  public Call call(WebhookMessage message, List<WebhookSecret> secrets, Instant now) {
    long timestamp = now.getEpochSecond();
    String signatures =
        secrets.stream()
            .map(secret -> secret.sign(message.id(), timestamp, message.body()))
            .collect(Collectors.joining(" "));
    Call.Builder call =
        call(Call.Method.POST, destination, message.body())
            .header(contentType)
            .header(ID.with(message.id()))
            .header(TIMESTAMP.with(Long.toString(timestamp)))
            .header(SIGNATURE.with(signatures));
    return (token == null ? call : call.header(bearer(token))).build();
  }
}
