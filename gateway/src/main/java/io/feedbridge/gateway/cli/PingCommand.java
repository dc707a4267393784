package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.GatewayOptions;
import io.feedbridge.gateway.cli.remote.JsonLine;
import io.feedbridge.gateway.cli.remote.PlainText;
import io.feedbridge.rsscloud.BadResultException;
import io.feedbridge.rsscloud.PingResult;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge ping}: tells a gateway that feeds have changed. */
@Command(
    name = "ping",
    description =
        "Tells a running gateway that feeds have changed, and the gateway fetches them now. The"
            + " URL of a site means its feeds. A feed without a subscriber is no error.",
    footer = {
      "",
      "It ends with 0 when each ping was accepted, with 1 when a ping was refused or the gateway"
          + " could not be reached, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class PingCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "URL", arity = "1..*", description = "The feeds.")
  private List<String> urls = new ArrayList<>();

  @Option(
      names = "--json",
      description = "Write the result of each ping as a line of JSON, also of a refused ping.")
  private boolean json;

  @Mixin private GatewayOptions gateway = new GatewayOptions();

  @Override
  public Integer call() {
    GatewayClient client = gateway.client();
    int code = 0;
    try {
      // One by one: a ping of several feeds is refused as a whole.
      for (String url : urls) {
        if (!ping(client, url)) {
          code = FAILED;
        }
      }
      return code;
    } catch (GatewayException e) {
      spec.commandLine().getErr().println(e.reason());
      return FAILED;
    }
  }

  private boolean ping(GatewayClient client, String url) throws GatewayException {
    GatewayClient.Answer answer = client.form("/ping", "url", url);
    if (!answer.successful()) {
      throw client.refusal(answer);
    }
    PingResult result;
    try {
      result = PingResult.parse(answer.body().getBytes(StandardCharsets.UTF_8));
    } catch (BadResultException e) {
      throw client.noGateway("its answer is not an answer to a ping");
    }
    if (json) {
      tell(
          JsonNodeFactory.instance
              .objectNode()
              .put("url", url)
              .put("success", result.success())
              .put("msg", result.msg()));
      return result.success();
    }
    PrintWriter writer =
        result.success() ? spec.commandLine().getOut() : spec.commandLine().getErr();
    writer.println(PlainText.of(url) + ": " + PlainText.of(result.msg()));
    writer.flush();
    return result.success();
  }

  private void tell(ObjectNode line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(JsonLine.of(line.toString()));
    out.flush();
  }
}
