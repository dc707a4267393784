package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code feedbridge deliveries}: the attempts to deliver to one subscription. */
@Command(
    name = "deliveries",
    description = "Shows the last attempts to deliver to a subscription, the newest first.",
    footer = {
      "",
      "It ends with 0, with 1 when there is no such subscription or the gateway could not be"
          + " reached, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class DeliveriesCommand extends RemoteCommand {

  private static final int MOST = 100;

  private static final Columns COLUMNS =
      Columns.of(
          "AT",
          "/at",
          "EVENT",
          "/eventId",
          "TRY",
          "/attempt",
          "KIND",
          "/kind",
          "OUTCOME",
          "/outcome",
          "STATUS",
          "/status",
          "MS",
          "/durationMs",
          "ERROR",
          "/error");

  @Parameters(paramLabel = "ID", description = "The subscription, as 'subscriptions' lists it.")
  private String id = "";

  @Override
  int run(GatewayClient client) throws GatewayException {
    Id.check(spec(), id);
    List<JsonNode> found =
        Pages.read(client, "/api/v1/subscriptions/" + id + "/deliveries", MOST - 1, List.of());
    if (isJson()) {
      found.forEach(this::tell);
    } else if (found.isEmpty()) {
      say("no deliveries on record");
    } else {
      say(COLUMNS.table(found));
    }
    return 0;
  }
}
