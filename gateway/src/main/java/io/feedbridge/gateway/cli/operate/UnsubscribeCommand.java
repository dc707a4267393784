package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code feedbridge unsubscribe}: ends subscriptions. */
@Command(
    name = "unsubscribe",
    description =
        "Ends the subscriptions of a callback to a feed, as an operator: the callback is not asked."
            + " A webhook with several feeds is not changed.",
    footer = {
      "",
      "It ends with 0 when a subscription was ended, with 1 when there was none or the gateway"
          + " could not be reached, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class UnsubscribeCommand extends RemoteCommand {

  private static final int MOST = 1_000;

  @Parameters(paramLabel = "TOPIC", description = "The feed.")
  private String topic = "";

  @Option(names = "--to", paramLabel = "URL", required = true, description = "The callback.")
  private String callback = "";

  @Override
  int run(GatewayClient client) throws GatewayException {
    List<JsonNode> found =
        Pages.read(
            client, "/api/v1/subscriptions", MOST, List.of("topic", topic, "callback", callback));
    int ended = 0;
    for (JsonNode subscription : found) {
      if (subscription.path("state").asText().equals("ended")) {
        continue;
      }
      end(client, subscription);
      ended++;
    }
    if (ended == 0) {
      complain("%s has no subscription to %s".formatted(callback, topic));
      return FAILED;
    }
    return 0;
  }

  private void end(GatewayClient client, JsonNode subscription) throws GatewayException {
    String id = subscription.path("id").asText();
    GatewayClient.Answer answer = client.delete("/api/v1/subscriptions/" + id);
    if (!answer.successful()) {
      throw client.refusal(answer);
    }
    tell(subscription);
    say("ended: subscription %s by %s".formatted(id, subscription.path("protocol").asText()));
  }
}
