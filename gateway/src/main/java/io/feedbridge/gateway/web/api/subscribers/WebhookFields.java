package io.feedbridge.gateway.web.api.subscribers;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.gateway.opml.BadOpmlException;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import io.feedbridge.gateway.search.query.BadQueryException;
import io.feedbridge.gateway.store.sql.deliveries.Webhooks;
import io.feedbridge.gateway.store.subscriptions.Webhook;
import io.feedbridge.gateway.web.api.model.WebhookView.RefusedFeed;
import io.feedbridge.gateway.web.common.Answers;
import io.feedbridge.gateway.web.common.BadFieldException;
import io.feedbridge.gateway.web.common.TopicField;
import io.feedbridge.gateway.webhook.Filter;
import io.feedbridge.gateway.webhook.WebhookSecret;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.DocumentWishes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The valid values of a webhook's fields; an invalid one is a {@link BadFieldException}. */
final class WebhookFields {

  /** Stands for all feeds. */
  static final String ALL = "*";

  /** The longest description, in characters. */
  private static final int MAX_DESCRIPTION = 500;

  private static final String MISSING = "it is missing";

  private WebhookFields() {}

  /** The URL exactly as it was given. */
  static String url(@Nullable String given, Policies policies) {
    if (given == null) {
      throw new BadFieldException("url", MISSING);
    }
    String unused = TopicField.normalized("url", given);
    if (given.indexOf('#') >= 0) {
      throw new BadFieldException("url", "it must not have a fragment (the part behind the #)");
    }
    if (!policies.permitCallback(given)) {
      throw new BadFieldException("url", Policies.CALLBACK_REFUSED + " (--callbacks)");
    }
    policies
        .callbackRefusal(given)
        .ifPresent(
            why -> {
              throw new BadFieldException("url", why);
            });
    return given;
  }

  /** The topics of a webhook, none for all, and the feeds of its list that were left out. */
  record Topics(List<String> topics, List<RefusedFeed> refused) {}

  /**
   * The topics that are named, or listed, each once. A feed of a list that cannot be followed is
   * left out, unless none is left.
   *
   * @param opml a list as it is now, in place of the topics
   * @param list the URL of a list, in place of both: the feeds that stand in it at any time
   */
  static Topics topics(
      @Nullable List<@Nullable String> given,
      @Nullable String opml,
      @Nullable String list,
      BridgedUrls bridges,
      Policies policies) {
    if (list != null) {
      if (given != null || opml != null) {
        throw new BadFieldException("list", "give list, opml or topics, and one of them alone");
      }
      return new Topics(List.of(TopicField.permitted("list", list, bridges, policies)), List.of());
    }
    if (opml == null) {
      return new Topics(topics(given, bridges, policies), List.of());
    }
    if (given != null) {
      throw new BadFieldException("opml", "give opml or topics, not both");
    }
    Set<String> topics = new LinkedHashSet<>();
    List<RefusedFeed> refused = new ArrayList<>();
    List<Outline> outlines = outlines(opml);
    for (int i = 0; i < outlines.size(); i++) {
      Outline outline = outlines.get(i);
      try {
        topics.add(TopicField.permitted("its URL", outline.url(), bridges, policies));
      } catch (BadFieldException e) {
        refused.add(
            new RefusedFeed(i + 1, outline.url(), outline.title(), String.valueOf(e.getMessage())));
      }
    }
    if (topics.isEmpty() && !refused.isEmpty()) {
      RefusedFeed first = refused.get(0);
      throw new BadFieldException(
          "opml",
          "no feed of the list can be followed; feed %d, '%s': %s"
              .formatted(first.number(), first.url(), first.reason()));
    }
    if (topics.isEmpty() || topics.size() > Webhooks.MAX_TOPICS) {
      throw new BadFieldException(
          "opml",
          "it lists %d feeds; it must list 1 to %d".formatted(topics.size(), Webhooks.MAX_TOPICS));
    }
    return new Topics(List.copyOf(topics), List.copyOf(refused));
  }

  private static List<Outline> outlines(String opml) {
    try {
      return Opml.read(opml.getBytes(StandardCharsets.UTF_8)).stream()
          .filter(Outline::namesFeed)
          .toList();
    } catch (BadOpmlException e) {
      throw new BadFieldException("opml", String.valueOf(e.getMessage()));
    }
  }

  /** The topics that are named, each once; none for all. */
  static List<String> topics(
      @Nullable List<@Nullable String> given, BridgedUrls bridges, Policies policies) {
    if (given == null || given.isEmpty()) {
      throw new BadFieldException("topics", "one topic at least is needed, or " + ALL);
    }
    if (given.size() > Webhooks.MAX_TOPICS) {
      throw new BadFieldException(
          "topics", "there are more than %d topics".formatted(Webhooks.MAX_TOPICS));
    }
    if (given.contains(ALL)) {
      if (given.size() > 1) {
        throw new BadFieldException("topics", ALL + " means all feeds: leave the other topics out");
      }
      return List.of();
    }
    Set<String> topics = new LinkedHashSet<>();
    OwnEventNames own = new OwnEventNames();
    for (int i = 0; i < given.size(); i++) {
      String topic = given.get(i);
      if (topic == null) {
        throw new BadFieldException("topics", "topic %d is missing".formatted(i + 1));
      }
      if (own.take(topic)) {
        continue;
      }
      try {
        topics.add(TopicField.permitted("topics", topic, bridges, policies));
      } catch (BadFieldException e) {
        throw new BadFieldException(
            "topics", "topic %d, '%s': %s".formatted(i + 1, topic, e.error().detail()));
      }
    }
    own.topic().ifPresent(topics::add);
    return List.copyOf(topics);
  }

  static WebhookSecret secret(
      @Nullable String given,
      @Nullable String signature,
      WebhookSecret.Scheme usual,
      RandomGenerator random) {
    WebhookSecret.Scheme scheme =
        signature == null
            ? usual
            : WebhookSecret.Scheme.of(signature)
                .orElseThrow(() -> new BadFieldException("signature", "it must be v1 or v1a"));
    if (given == null) {
      return WebhookSecret.make(scheme, random);
    }
    WebhookSecret secret = parsedSecret(given);
    if (signature != null && secret.scheme() != scheme) {
      throw new BadFieldException(
          "signature", "the secret that is given is one of " + secret.scheme().version());
    }
    return secret;
  }

  private static WebhookSecret parsedSecret(String given) {
    try {
      return WebhookSecret.parse(given);
    } catch (IllegalArgumentException e) {
      throw new BadFieldException("secret", String.valueOf(e.getMessage()));
    }
  }

  /** An expression that parses. */
  static String filter(String given) {
    Filter unused = parsed(given);
    return given;
  }

  /** The filter that an expression means. */
  static Filter parsed(String given) {
    try {
      return Filter.parse(given);
    } catch (BadQueryException e) {
      throw new BadFieldException("filter", e.reason());
    }
  }

  static String description(String given) {
    if (given.length() > MAX_DESCRIPTION || given.chars().anyMatch(Character::isISOControl)) {
      throw new BadFieldException(
          "description", "it must be one line of at most %d characters".formatted(MAX_DESCRIPTION));
    }
    return given;
  }

  static Webhook.State state(String given) {
    for (Webhook.State state : Webhook.State.values()) {
      if (Answers.word(state).equals(given)) {
        return state;
      }
    }
    throw new BadFieldException("state", "it must be one of pending, active, disabled");
  }

  /**
   * The changed terms: each field that was asked for replaces the one before.
   *
   * @param topics that were asked for; null for the ones before
   */
  static Webhook.Terms changed(
      Webhook.Terms before,
      WebhooksApi.Change asked,
      @Nullable List<String> topics,
      Policies policies) {
    TargetFields.Receiver receiver =
        TargetFields.changed(
            before, asked.url(), asked.target(), asked.token(), asked.template(), policies);
    return new Webhook.Terms(
        receiver.url(),
        topics == null ? before.topics() : topics,
        optional("filter", asked.filter(), before.filter(), WebhookFields::filter),
        optional(
            "description", asked.description(), before.description(), WebhookFields::description),
        wishes(
                optional(
                    "every", asked.every(), before.wishes().everyText(), UnaryOperator.identity()),
                optional(
                    "only", asked.only(), before.wishes().onlyText(), UnaryOperator.identity()),
                optional(
                    "fields",
                    asked.fields(),
                    before.wishes().fieldsText(),
                    UnaryOperator.identity()))
            .withDedupe(asked.dedupe() == null ? before.wishes().dedupe() : asked.dedupe()),
        receiver.target());
  }

  /** Wishes that are understood. */
  static DocumentWishes wishes(
      @Nullable String every, @Nullable String only, @Nullable String fields) {
    try {
      return DocumentWishes.parse(
          Optional.ofNullable(every), Optional.ofNullable(only), Optional.ofNullable(fields));
    } catch (BadHubRequestException e) {
      // The reason begins with the name of the field.
      String[] parts = e.reason().split(" ", 2);
      throw new BadFieldException(parts[0], parts[1]);
    }
  }

  private static @Nullable String optional(
      String field,
      @Nullable JsonNode asked,
      @Nullable String before,
      UnaryOperator<String> check) {
    if (asked == null) {
      return before;
    }
    if (asked.isNull()) {
      return null;
    }
    if (!asked.isTextual()) {
      throw new BadFieldException(field, "it must be a text, or null for none");
    }
    return check.apply(asked.textValue());
  }
}
