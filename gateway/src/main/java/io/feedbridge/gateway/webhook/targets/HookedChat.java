package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.address.Destination;
import io.feedbridge.gateway.webhook.WebhookMessage;
import io.feedbridge.gateway.webhook.WebhookSecret;
import java.time.Instant;
import java.util.List;

/** A chat whose incoming webhooks have a secret as the last segment of their URL. */
abstract class HookedChat extends Chat {

  private final Destination destination;

  /**
   * A chat.
   *
   * @param url without the token; it ends with a slash, or has a query behind that
   */
  HookedChat(String url, String token, Bounds bounds) {
    super(bounds);
    int query = url.indexOf('?');
    String end = query < 0 ? "" : url.substring(query);
    String folder = url.substring(0, url.length() - end.length());
    destination = new Destination(folder + token + end, folder + "…" + end);
  }

  @Override
  public final Call call(WebhookMessage message, List<WebhookSecret> secrets, Instant now) {
    return call(Call.Method.POST, destination, message.body()).header(JSON).build();
  }
}
