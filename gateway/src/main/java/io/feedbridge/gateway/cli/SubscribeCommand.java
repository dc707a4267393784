package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.GatewayOptions;
import io.feedbridge.gateway.cli.remote.HubSubscription;
import io.feedbridge.gateway.cli.remote.Outcome;
import io.feedbridge.gateway.cli.remote.Pauses;
import io.feedbridge.gateway.cli.remote.PlainText;
import io.feedbridge.gateway.config.Kind;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.ContentFormat;
import io.feedbridge.websub.DocumentWishes;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge subscribe}: lets a running gateway deliver a feed to a callback. */
@Command(
    name = "subscribe",
    description =
        "Makes a running gateway deliver a feed to a callback, by WebSub or as a JSON webhook,"
            + " and waits for the result: the callback must first confirm by returning a"
            + " challenge.",
    footer = {
      "",
      "A callback on this machine needs a gateway with --allow-callback 127.0.0.0/8. It ends"
          + " with 0 when the subscription is active (with --wait 0: when it is requested), with"
          + " 1 when it was refused, is not active yet, or the gateway could not be reached, with"
          + " 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SubscribeCommand implements Callable<Integer> {

  private static final int FAILED = 1;
  private static final Duration LONGEST_WAIT = Duration.ofHours(1);
  private static final String FEEDS = "/api/v1/feeds";
  private static final String ALL_FEEDS = "*";

  /** How long to wait for the first fetch of a feed that has an active subscription. */
  private static final Duration FIRST_FETCH = Duration.ofSeconds(5);

  /** Targets that know the gateway by a token, in place of signatures. */
  private static final Set<String> CHATS =
      Set.of("discord", "slack", "mattermost", "ntfy", "gotify", "matrix");

  private static final String WEBHOOKS = "/api/v1/webhooks";

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(
      paramLabel = "TOPIC",
      description = "The feed; with --webhook also '*' for all followed feeds.")
  private String topic = "";

  @Option(names = "--to", paramLabel = "URL", required = true, description = "The callback.")
  private String callback = "";

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "The format of a WebSub subscription: auto (the feed's own family), atom or json (both"
              + " normalized), or raw (the feed's own bytes). By default it is the gateway's"
              + " --hub-format.")
  private @Nullable String format;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      description =
          "One document at most in that time, with all that came in it: 10s to 24h, such as 15m.")
  private @Nullable String every;

  @Option(
      names = "--only",
      paramLabel = "KINDS",
      description =
          "The entries that are wanted: new, updated and removed, with commas between them. By"
              + " default these are the new and the removed entries, and entries that changed just"
              + " now.")
  private @Nullable String only;

  @Option(
      names = "--fields",
      paramLabel = "NAMES",
      description =
          "The members that each entry of a JSON document has beside its id, with commas between"
              + " them, such as title,permalinkUrl. By default it has all.")
  private @Nullable String fields;

  @Option(
      names = "--digest",
      description =
          "Send the newest entries together once in the gateway's --digest-every too, even if none"
              + " is new. Not for webhooks.")
  private boolean digest;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      description =
          "How long a WebSub subscription is to last, such as 24h or 7d. The gateway has bounds and a"
              + " default.")
  private @Nullable String lease;

  @Option(
      names = "--secret",
      paramLabel = "SECRET",
      description =
          "The secret that signs deliveries. Other users of this machine can read the command"
              + " line: FEEDBRIDGE_SECRET is safer. Without a secret WebSub deliveries are not"
              + " signed, and a webhook gets a new secret, which is shown once.")
  private @Nullable String secret;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The file that holds the secret, in place of --secret.")
  private String secretFile = "";

  @Option(
      names = "--webhook",
      description = "Make a JSON webhook after Standard Webhooks instead; it has no lease.")
  private boolean webhook;

  @Option(
      names = "--target",
      paramLabel = "KIND",
      description =
          "Make a webhook whose messages are for discord, slack, mattermost, ntfy, gotify or"
              + " matrix, or are cloudevents or cloudevents-batch. --secret is the token of a chat"
              + " whose URL does not have it.")
  private @Nullable String target;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      defaultValue = "60s",
      showDefaultValue = Visibility.ALWAYS,
      description = "How long to wait until it is active, at most 1h; 0 for no wait.")
  private String wait = "";

  @Option(
      names = "--json",
      description = "Write the answers of the API as lines of JSON, in place of sentences.")
  private boolean json;

  @Mixin private GatewayOptions gateway = new GatewayOptions();

  @Override
  public Integer call() {
    webhook |= target != null;
    Duration longest = longest();
    List<String> parameters = parameters();
    GatewayClient client = gateway.client();
    try {
      Outcome outcome =
          webhook
              ? webhook(client, longest)
              : new HubSubscription(client, topic, callback).ask(parameters, longest);
      if (outcome instanceof Outcome.Active active) {
        report().tell(active.subscription(), feed(client));
        return 0;
      }
      return report().tell(outcome, longest);
    } catch (GatewayException e) {
      spec.commandLine().getErr().println(e.reason());
      return FAILED;
    }
  }

  private SubscriptionReport report() {
    CommandLine line = spec.commandLine();
    return new SubscriptionReport(line.getOut(), line.getErr(), json);
  }

  private Duration longest() {
    return Kind.duration(wait)
        .filter(time -> time.compareTo(LONGEST_WAIT) <= 0)
        .orElseThrow(
            () -> wrong("--wait: '%s' is neither 0 nor a time up to 1h, such as 30s", wait));
  }

  /** The optional parameters of the hub's request. */
  private List<String> parameters() {
    List<String> parameters = new ArrayList<>();
    String named = format;
    if (named != null) {
      if (Arrays.stream(ContentFormat.values()).noneMatch(f -> f.value().equals(named))) {
        throw wrong("--format: '%s' must be auto, atom, json or raw", named);
      }
      parameters.addAll(List.of("format", named));
    }
    String time = lease;
    if (time != null) {
      Duration duration =
          Kind.duration(time)
              .filter(asked -> asked.toSeconds() > 0)
              .orElseThrow(() -> wrong("--lease: '%s' is not a time such as 24h or 7d", time));
      parameters.addAll(List.of("hub.lease_seconds", Long.toString(duration.toSeconds())));
    }
    if (digest) {
      if (webhook) {
        throw wrong("%s: a webhook has no digests", "--digest");
      }
      parameters.addAll(List.of("superfeedr.digest", "true"));
    }
    if (webhook && !parameters.isEmpty()) {
      throw wrong(
          "%s: a webhook gets JSON and has no lease", time == null ? "--format" : "--lease");
    }
    wishes().forEach((name, text) -> parameters.addAll(List.of(name, text)));
    secret().ifPresent(text -> parameters.addAll(List.of("hub.secret", text)));
    return parameters;
  }

  /** The wishes that are given, by the names that the hub and the API have for them. */
  private Map<String, String> wishes() {
    Map<String, String> wishes = new LinkedHashMap<>();
    Optional.ofNullable(every).ifPresent(text -> wishes.put("every", text));
    Optional.ofNullable(only).ifPresent(text -> wishes.put("only", text));
    Optional.ofNullable(fields).ifPresent(text -> wishes.put("fields", text));
    try {
      var unused =
          DocumentWishes.parse(
              Optional.ofNullable(every), Optional.ofNullable(only), Optional.ofNullable(fields));
    } catch (BadHubRequestException e) {
      throw wrong("--%s", e.reason());
    }
    return wishes;
  }

  private Optional<String> secret() {
    String own = GatewayOptions.secret(spec, "--secret", secret == null ? "" : secret, secretFile);
    return Optional.of(own).filter(text -> !text.isEmpty());
  }

  private ParameterException wrong(String problem, String value) {
    return new ParameterException(spec.commandLine(), problem.formatted(PlainText.of(value)));
  }

  private Outcome webhook(GatewayClient client, Duration longest) throws GatewayException {
    ObjectNode asked = JsonNodeFactory.instance.objectNode().put("url", callback);
    asked.putArray("topics").add(topic);
    Optional<String> own = secret();
    boolean chat = target != null && CHATS.contains(target);
    own.ifPresent(text -> asked.put(chat ? "token" : "secret", text));
    Optional.ofNullable(target).ifPresent(kind -> asked.put("target", kind));
    wishes().forEach(asked::put);
    JsonNode made =
        client.json(
            client.post(
                WEBHOOKS, "application/json", asked.toString().getBytes(StandardCharsets.UTF_8)));
    String id = made.path("id").asText();
    // Printed at once, before the wait for the check, which the user may interrupt.
    if (json) {
      report().json(made);
    } else {
      report().out("made: webhook " + id);
      if (own.isEmpty() && made.path("secret").isTextual()) {
        report().out("secret, which is not shown again: " + made.path("secret").asText());
      }
    }
    Pauses pauses = new Pauses(longest);
    while (pauses.pause()) {
      JsonNode seen = client.json(client.get(WEBHOOKS + "/" + id));
      switch (seen.path("state").asText()) {
        case "active" -> {
          return new Outcome.Active(seen);
        }
        case "disabled" -> {
          return new Outcome.Disabled(seen);
        }
        default -> made = seen;
      }
    }
    return new Outcome.Pending(longest.isZero() ? null : made, made.path("reason").asText(null));
  }

  /**
   * The feed of the topic as the gateway shows it once it was fetched; missing where the topic
   * stands for no feed, or where the gateway does not say.
   */
  private JsonNode feed(GatewayClient client) {
    JsonNode feed = MissingNode.getInstance();
    if (topic.equals(ALL_FEEDS)) {
      return feed;
    }
    Pauses pauses = new Pauses(FIRST_FETCH);
    String path = FEEDS + "?url=" + URLEncoder.encode(topic, StandardCharsets.UTF_8);
    try {
      do {
        feed = client.json(client.get(path)).at("/items/0");
      } while (feed.path("kind").isNull() && feed.path("problem").isNull() && pauses.pause());
    } catch (GatewayException e) {
      // The subscription is active all the same.
      return feed;
    }
    return feed;
  }
}
