package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code feedbridge user remove}. */
@Command(
    name = "remove",
    description =
        "Removes a user with its password, tokens and saved feed, at a running gateway."
            + " Subscriptions that were made with its tokens stay until their leases end.",
    footer = {
      "",
      "It ends with 0 when the user is removed, with 1 when there is none or the gateway could not"
          + " be reached, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class RemoveUserCommand extends RemoteCommand {

  @Parameters(paramLabel = "LOGIN", description = "The user, as 'user list' shows it.")
  private String login = "";

  @Override
  int run(GatewayClient client) throws GatewayException {
    Id.check(spec(), login);
    GatewayClient.Answer answer = client.delete("/api/v1/users/" + login);
    if (!answer.successful()) {
      throw client.refusal(answer);
    }
    tell(JsonNodeFactory.instance.objectNode().put("login", login).put("removed", true));
    say("removed: user " + login);
    return 0;
  }
}
