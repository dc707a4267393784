package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.config.SettingsReader;
import io.feedbridge.websub.ContentFormat;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
        "Lets a running gateway deliver a feed to a callback, by WebSub or as a JSON webhook, and tells"
            + " what becomes of it: the gateway asks the callback first whether it means it.",
    footer = {
      "",
      "A callback on this machine takes a gateway with --allow-callback 127.0.0.0/8. It ends with 0 when"
          + " the subscription is active (with --wait 0: when it is asked for), with 1 when it was"
          + " refused, is not active yet, or the gateway could not be asked, with 2 when it was asked"
          + " for wrongly."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SubscribeCommand implements Callable<Integer> {

  private static final int FAILED = 1;
  private static final Duration LONGEST_WAIT = Duration.ofHours(1);
  private static final String WEBHOOKS = "/api/v1/webhooks";

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(
      paramLabel = "TOPIC",
      description = "The feed; with --webhook also '*' for all that are followed.")
  private String topic = "";

  @Option(names = "--to", paramLabel = "URL", required = true, description = "The callback.")
  private String callback = "";

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "What to deliver by WebSub: atom, json (both normalized) or raw (the feed's own bytes). By"
              + " default it is what the gateway's --hub-format says.")
  private @Nullable String format;

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
          "What deliveries are signed with. Others on this machine can read the command line: better"
              + " set FEEDBRIDGE_SECRET. Without one those by WebSub are not signed, and a webhook is"
              + " given one, which is shown once.")
  private @Nullable String secret;

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The file in which the secret is, in place of --secret.")
  private String secretFile = "";

  @Option(
      names = "--webhook",
      description = "Make a JSON webhook after Standard Webhooks instead; it has no lease.")
  private boolean webhook;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      defaultValue = "60s",
      showDefaultValue = Visibility.ALWAYS,
      description = "How long to wait for what becomes of it, at most 1h; 0 for not waiting.")
  private String wait = "";

  @Option(
      names = "--json",
      description = "Write what the API answers, as lines of JSON, in place of sentences.")
  private boolean json;

  @Mixin private GatewayOptions gateway = new GatewayOptions();

  @Override
  public Integer call() {
    Duration longest = longest();
    List<String> parameters = parameters();
    GatewayClient client = gateway.client();
    try {
      Outcome outcome =
          webhook
              ? webhook(client, longest)
              : new HubSubscription(client, topic, callback).ask(parameters, longest);
      return tell(outcome, longest);
    } catch (GatewayException e) {
      spec.commandLine().getErr().println(e.reason());
      return FAILED;
    }
  }

  private Duration longest() {
    return wait.equals("0")
        ? Duration.ZERO
        : SettingsReader.time(wait)
            .filter(time -> time.compareTo(LONGEST_WAIT) <= 0)
            .orElseThrow(
                () -> wrong("--wait: '%s' is neither 0 nor a time up to 1h, such as 30s", wait));
  }

  /** Those of the hub's request that are not always there. */
  private List<String> parameters() {
    List<String> parameters = new ArrayList<>();
    String named = format;
    if (named != null) {
      if (Arrays.stream(ContentFormat.values()).noneMatch(f -> f.value().equals(named))) {
        throw wrong("--format: '%s' is none of atom, json, raw", named);
      }
      parameters.addAll(List.of("format", named));
    }
    String time = lease;
    if (time != null) {
      Duration duration =
          SettingsReader.time(time)
              .filter(asked -> asked.toSeconds() > 0)
              .orElseThrow(() -> wrong("--lease: '%s' is not a time such as 24h or 7d", time));
      parameters.addAll(List.of("hub.lease_seconds", Long.toString(duration.toSeconds())));
    }
    if (webhook && !parameters.isEmpty()) {
      throw wrong(
          "%s: a webhook is sent JSON and has no lease", time == null ? "--format" : "--lease");
    }
    secret().ifPresent(text -> parameters.addAll(List.of("hub.secret", text)));
    return parameters;
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
    own.ifPresent(text -> asked.put("secret", text));
    JsonNode made =
        client.json(
            client.post(
                WEBHOOKS, "application/json", asked.toString().getBytes(StandardCharsets.UTF_8)));
    String id = made.path("id").asText();
    // At once: whoever does not want to wait any longer has it by then.
    if (json) {
      json(made);
    } else {
      out("made: webhook " + id);
      if (own.isEmpty()) {
        out("secret, which is not shown again: " + made.path("secret").asText());
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
          return new Outcome.Denied(seen.path("reason").asText(null));
        }
        default -> made = seen;
      }
    }
    return new Outcome.Pending(longest.isZero() ? null : made, made.path("reason").asText(null));
  }

  private int tell(Outcome outcome, Duration longest) {
    if (outcome instanceof Outcome.Active active) {
      if (json) {
        json(active.subscription());
      } else {
        out("active" + until(active.subscription()));
      }
      return 0;
    }
    if (outcome instanceof Outcome.Denied denied) {
      String reason = denied.reason();
      if (json) {
        json(JsonNodeFactory.instance.objectNode().put("state", "denied").put("reason", reason));
      } else {
        err("not subscribed: " + (reason == null ? "the gateway does not say why" : reason));
      }
      return FAILED;
    }
    if (outcome instanceof Outcome.Kept kept) {
      if (json) {
        json(kept.subscription());
      } else {
        err(kept.reason() + "; the subscription that it has stays as it is");
      }
      return FAILED;
    }
    Outcome.Pending pending = (Outcome.Pending) outcome;
    JsonNode subscription = pending.subscription();
    if (subscription == null) {
      if (!json) {
        out("asked for: the callback is asked next");
      }
      return 0;
    }
    if (json) {
      json(subscription);
    } else {
      err(
          "not active after %s s%s; GET /api/v1/subscriptions shows how it goes on"
              .formatted(
                  longest.toMillis() / 1_000.0,
                  pending.reason() == null ? "" : ": " + pending.reason()));
    }
    return FAILED;
  }

  private static String until(JsonNode subscription) {
    String until = subscription.path("leaseEndsAt").asText("");
    return until.isEmpty() ? "" : " until " + until;
  }

  /** Whole, however long it is: a part of it would be no JSON. */
  private void json(JsonNode node) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(JsonLine.of(node.toString()));
    out.flush();
  }

  private void out(String line) {
    print(spec.commandLine().getOut(), line);
  }

  private void err(String line) {
    print(spec.commandLine().getErr(), line);
  }

  private static void print(PrintWriter writer, String line) {
    writer.println(PlainText.of(line));
    writer.flush();
  }
}
