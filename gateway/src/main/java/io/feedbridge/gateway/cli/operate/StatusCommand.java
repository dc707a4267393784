package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Option;

/** {@code feedbridge status}: the state of a gateway in a few lines. */
@Command(
    name = "status",
    description = "Shows whether a gateway is up, and how much it follows, delivers and owes.",
    footer = {
      "",
      "It ends with 0 when the gateway is up, with 1 when it is not or could not be reached, with 2"
          + " when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class StatusCommand extends RemoteCommand {

  @Option(
      names = "--health",
      description = "Ask only whether the gateway is up, which needs no token.")
  private boolean healthOnly;

  /** The figures by their names, and the meters that have them. */
  private static final Map<String, String> METERS = meters();

  private static Map<String, String> meters() {
    Map<String, String> meters = new LinkedHashMap<>();
    meters.put("feeds", "feedbridge_feeds");
    meters.put("subscriptions by WebSub", "feedbridge_subscriptions_websub");
    meters.put("subscriptions by rssCloud", "feedbridge_subscriptions_rsscloud");
    meters.put("webhooks", "feedbridge_webhooks");
    meters.put("readers of the stream", "feedbridge_stream_readers");
    meters.put("subscribers that lag behind", "feedbridge_laggards");
    meters.put(
        "seconds since the oldest undelivered event", "feedbridge_undelivered_oldest_seconds");
    meters.put("work that waits", "feedbridge_work_waiting");
    meters.put("events in the log", "feedbridge_log_events");
    return meters;
  }

  @Override
  int run(GatewayClient client) throws GatewayException {
    GatewayClient.Answer health = client.get("/health");
    String state = state(client, health);
    // A standby has no meters.
    Map<String, Double> meters = healthOnly || state.equals("standby") ? Map.of() : read(client);
    ObjectNode object = JsonNodeFactory.instance.objectNode().put("status", state);
    METERS.forEach(
        (name, meter) -> {
          if (meters.containsKey(meter)) {
            object.put(meter.substring("feedbridge_".length()), Math.round(meters.get(meter)));
          }
        });
    tell(object);
    say("the gateway is " + state);
    if (!isJson() && !meters.isEmpty()) {
      Table table = new Table(List.of("", ""));
      METERS.forEach(
          (name, meter) -> {
            if (meters.containsKey(meter)) {
              table.add(List.of(Long.toString(Math.round(meters.get(meter))), name));
            }
          });
      table.lines(new Paint(Ansi.OFF)).stream().skip(1).forEach(this::say);
    }
    return health.successful() ? 0 : FAILED;
  }

  private static String state(GatewayClient client, GatewayClient.Answer health)
      throws GatewayException {
    String state =
        client.json(new GatewayClient.Answer(200, health.body())).path("status").asText("");
    if (state.isEmpty()) {
      throw client.noGateway("/health has no status");
    }
    return state;
  }

  /** The sum of each meter over its labels. */
  static Map<String, Double> read(GatewayClient client) throws GatewayException {
    GatewayClient.Answer answer = client.get("/metrics");
    if (!answer.successful()) {
      throw client.refusal(answer);
    }
    Map<String, Double> sums = new HashMap<>();
    answer
        .body()
        .lines()
        .filter(line -> line.startsWith("feedbridge_") || line.startsWith("process_"))
        .forEach(
            line -> {
              String name = line.split("[{ ]", 2)[0];
              String value = line.substring(line.lastIndexOf(' ') + 1);
              if (value.matches("-?[0-9.]+(E-?[0-9]+)?")) {
                sums.merge(name, Double.valueOf(value), Double::sum);
              }
            });
    return sums;
  }
}
