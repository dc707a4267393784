package io.feedbridge.gateway.cli.operate;

import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code feedbridge retry}: missed events are sent now. */
@Command(
    name = "retry",
    description =
        "Sends a subscriber the events that it has missed, without the wait until the next attempt.",
    footer = {
      "",
      "It ends with 0 when the attempt is made or nothing was missed, with 1 when there is no such"
          + " subscription or the gateway could not be reached, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class RetryCommand extends RemoteCommand {

  @Parameters(paramLabel = "ID", description = "The subscription, as 'subscriptions' lists it.")
  private String id = "";

  @Override
  int run(GatewayClient client) throws GatewayException {
    Id.check(spec(), id);
    GatewayClient.Answer answer =
        client.post("/api/v1/subscriptions/" + id + "/retry", "application/json", new byte[0]);
    if (!answer.successful()) {
      throw client.refusal(answer);
    }
    if (isJson() && !answer.body().isBlank()) {
      tell(client.json(answer));
    }
    say("subscription %s is retried now; 'deliveries %s' shows the result".formatted(id, id));
    return 0;
  }
}
