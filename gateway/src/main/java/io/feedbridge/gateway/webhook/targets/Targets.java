package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.store.subscriptions.Webhook;

/** The targets by their kinds. */
public final class Targets {

  private Targets() {}

  /** The target of a webhook. */
  public static Target of(Webhook webhook) {
    return of(webhook.terms().url(), webhook.terms().target());
  }

  /** A target by its settings, which are valid. */
  public static Target of(String url, Webhook.Target is) {
    String token = is.token();
    return switch (is.kind()) {
      case STANDARD -> new Standard(url);
      case CLOUDEVENTS -> new CloudEvents(url, token, false);
      case CLOUDEVENTS_BATCH -> new CloudEvents(url, token, true);
      case TEMPLATE -> new Templated(url, token, String.valueOf(is.template()));
      case DISCORD -> new Discord(url, String.valueOf(token));
      case SLACK -> new Slack(url, String.valueOf(token));
      case MATTERMOST -> new Mattermost(url, String.valueOf(token));
      case NTFY -> new Ntfy(url, token);
      case GOTIFY -> new Gotify(url, String.valueOf(token));
      case MATRIX -> new Matrix(url, String.valueOf(token));
    };
  }
}
