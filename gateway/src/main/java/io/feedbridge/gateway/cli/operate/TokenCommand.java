package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge token}: the tokens that users show for Superfeedr's calls. */
@Command(
    name = "token",
    description = "Lists, makes and deletes the tokens of users, at a running gateway.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class TokenCommand implements Runnable {

  private static final String PATH = "/api/v1/tokens";

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  /** The command with its own commands. */
  public static CommandLine line() {
    return new CommandLine(new TokenCommand())
        .addSubcommand(ListCommand.tokens())
        .addSubcommand(new Create())
        .addSubcommand(new Delete());
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "COMMAND: one of list, create, delete is needed");
  }

  /** {@code feedbridge token create}. */
  @Command(
      name = "create",
      description = "Makes a token for a user, and shows it once.",
      footer = {
        "",
        "It ends with 0 when the token is made, with 1 when it was refused or the gateway could not"
            + " be reached, with 2 when the arguments are wrong."
      },
      mixinStandardHelpOptions = true,
      sortOptions = false)
  static final class Create extends RemoteCommand {

    @Parameters(paramLabel = "LOGIN", description = "The user.")
    private String login = "";

    @Option(
        names = "--rights",
        split = ",",
        paramLabel = "RIGHT",
        required = true,
        description =
            "The rights, by commas: subscribe, unsubscribe, list, retrieve (Superfeedr's calls), save"
                + " (rssCloud.saveRss).")
    private List<String> rights = new ArrayList<>();

    @Override
    int run(GatewayClient client) throws GatewayException {
      ObjectNode asked = JsonNodeFactory.instance.objectNode().put("login", login);
      ArrayNode wanted = asked.putArray("rights");
      rights.forEach(right -> wanted.add(right.strip()));
      JsonNode made =
          client.json(
              client.post(
                  PATH, "application/json", asked.toString().getBytes(StandardCharsets.UTF_8)));
      tell(made);
      say("made: token " + made.path("id").asText());
      say("token, which is not shown again: " + made.path("token").asText());
      return 0;
    }
  }

  /** {@code feedbridge token delete}. */
  @Command(
      name = "delete",
      description = "Deletes a token; its user cannot show it any more.",
      footer = {
        "",
        "It ends with 0 when the token is deleted, with 1 when there is none or the gateway could"
            + " not be reached, with 2 when the arguments are wrong."
      },
      mixinStandardHelpOptions = true,
      sortOptions = false)
  static final class Delete extends RemoteCommand {

    @Parameters(paramLabel = "ID", description = "The token, as 'token list' shows it.")
    private String id = "";

    @Override
    int run(GatewayClient client) throws GatewayException {
      Id.check(spec(), id);
      GatewayClient.Answer answer = client.delete(PATH + "/" + id);
      if (!answer.successful()) {
        throw client.refusal(answer);
      }
      tell(JsonNodeFactory.instance.objectNode().put("id", id).put("deleted", true));
      say("deleted: token " + id);
      return 0;
    }
  }
}
