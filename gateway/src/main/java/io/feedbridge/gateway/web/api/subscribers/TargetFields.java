package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.store.subscriptions.Webhook.Target;
import io.feedbridge.gateway.store.subscriptions.Webhook.TargetKind;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.webhook.targets.BadTemplateException;
import io.feedbridge.gateway.webhook.targets.FeedDocument;
import io.feedbridge.gateway.webhook.targets.Template;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The valid values of a webhook's URL and target; an invalid one is a bad field. */
final class TargetFields {

  private static final int MAX_TOKEN = 1_000;

  /** The parameter of a token in the URLs that Gotify shows. */
  private static final String TOKEN_PARAMETER = "token=";

  private TargetFields() {}

  /**
   * Where messages go.
   *
   * @param url without a token
   */
  record Receiver(String url, Target target) {

    /** With its token taken out of the URL, where the URL has it. */
    Receiver valid() {
      String template = target.template();
      if (target.kind() == TargetKind.TEMPLATE) {
        requireTemplate(template);
      } else if (template != null && !template.isEmpty()) {
        throw new BadFieldException("template", "only the target 'template' has one");
      }
      Receiver plain =
          target.kind() == TargetKind.TEMPLATE
              ? this
              : new Receiver(url, withToken(target.token()));
      return switch (target.kind()) {
        case DISCORD, SLACK, MATTERMOST -> plain.hooked();
        case GOTIFY -> plain.application();
        case NTFY -> plain.lastSegment("the URL must end with a topic: https://ntfy.sh/TOPIC");
        case MATRIX -> plain.room();
        case STANDARD -> plain.withoutToken();
        default -> plain;
      };
    }

    private Target withToken(@Nullable String token) {
      return new Target(target.kind(), token, null);
    }

    private Receiver withoutToken() {
      if (target.token() != null) {
        throw new BadFieldException(
            "token", "messages of the target 'standard' are signed, and have no token");
      }
      return this;
    }

    /** The last segment of the path is the token, unless the token is given. */
    private Receiver hooked() {
      int query = url.indexOf('?') < 0 ? url.length() : url.indexOf('?');
      int slash = url.lastIndexOf('/', query - 1);
      String last = url.substring(slash + 1, query);
      if (last.isEmpty() && target.token() != null) {
        return this;
      }
      if (last.isEmpty() || slash <= url.indexOf("//") + 1) {
        throw new BadFieldException(
            "url", "give the whole URL of the incoming webhook, which ends with its token");
      }
      if (target.token() != null) {
        throw new BadFieldException("token", "the URL has it already: leave it out");
      }
      return new Receiver(
          url.substring(0, slash + 1) + url.substring(query), withToken(TargetFields.token(last)));
    }

    private Receiver application() {
      int query = url.indexOf('?');
      String in = query < 0 ? "" : url.substring(query + 1);
      boolean named = in.startsWith(TOKEN_PARAMETER) && in.indexOf('&') < 0;
      String token =
          named ? TargetFields.token(in.substring(TOKEN_PARAMETER.length())) : target.token();
      if (token == null) {
        throw new BadFieldException("token", "the token of an application of Gotify is missing");
      }
      if (query >= 0 && !named) {
        throw new BadFieldException("url", "it must be the server's URL, without a query");
      }
      return new Receiver(query < 0 ? url : url.substring(0, query), withToken(token));
    }

    private Receiver room() {
      Receiver is = lastSegment("the URL must end with the id of a room: https://HOST/!ID:SERVER");
      String room = url.substring(url.lastIndexOf('/') + 1).replace("%21", "!");
      if (!room.startsWith("!")) {
        throw new BadFieldException(
            "url", "the URL must end with the id of a room, which begins with !");
      }
      if (target.token() == null) {
        throw new BadFieldException("token", "the access token of a user of Matrix is missing");
      }
      return is;
    }

    private Receiver lastSegment(String missing) {
      int slash = url.lastIndexOf('/');
      if (url.indexOf('?') >= 0 || slash <= url.indexOf("//") + 1 || slash == url.length() - 1) {
        throw new BadFieldException("url", missing);
      }
      return this;
    }
  }

  /** The receiver of a new webhook. */
  static Receiver of(
      @Nullable String url,
      @Nullable String target,
      @Nullable String token,
      @Nullable String template,
      Policies policies) {
    String given = WebhookFields.url(url, policies);
    return new Receiver(given, new Target(kind(target), token(token), template)).valid();
  }

  /**
   * The receiver of a webhook that is changed: each field that is given replaces the one before.
   */
  static Receiver changed(
      Webhook.Terms before,
      @Nullable String url,
      @Nullable String target,
      @Nullable String token,
      @Nullable String template,
      Policies policies) {
    Target is = before.target();
    TargetKind kind = target == null ? is.kind() : kind(target);
    String at = url == null ? before.url() : WebhookFields.url(url, policies);
    boolean stays = at.equals(before.url()) && kind == is.kind();
    boolean templated = kind == TargetKind.TEMPLATE;
    Receiver receiver =
        new Receiver(
            at,
            new Target(
                kind,
                token == null && stays ? is.token() : token(token),
                template == null && templated ? is.template() : template));
    boolean needed = token == null && !stays && is.token() != null && kind == is.kind();
    Receiver valid = receiver.valid();
    if (needed && valid.target.token() == null) {
      throw new BadFieldException(
          "token", "another URL needs its token again, which is sent to no other");
    }
    return valid;
  }

  static TargetKind kind(@Nullable String label) {
    return label == null
        ? TargetKind.STANDARD
        : TargetKind.of(label)
            .orElseThrow(
                () ->
                    new BadFieldException(
                        "target",
                        "it must be one of "
                            + Arrays.stream(TargetKind.values())
                                .map(TargetKind::label)
                                .collect(Collectors.joining(", "))));
  }

  private static @Nullable String token(@Nullable String given) {
    if (given == null || given.isEmpty()) {
      return null;
    }
    if (given.length() > MAX_TOKEN || !given.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new BadFieldException(
          "token",
          "it must be at most %d visible characters of ASCII without spaces".formatted(MAX_TOKEN));
    }
    return given;
  }

  /** A template that makes a message of an example. */
  static void requireTemplate(@Nullable String template) {
    if (template == null || template.isBlank()) {
      throw new BadFieldException("template", "a webhook of this target needs one");
    }
    try {
      byte[] unused = Template.of(template).render(FeedDocument.example().json());
    } catch (BadTemplateException e) {
      throw new BadFieldException("template", String.valueOf(e.getMessage()));
    }
  }
}
