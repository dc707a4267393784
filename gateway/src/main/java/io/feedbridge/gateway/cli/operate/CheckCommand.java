package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.Pauses;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code feedbridge check}: whether a feed is connected. */
@Command(
    name = "check",
    description =
        "Checks whether a feed is connected: looks at it, subscribes at its hubs and its cloud for"
            + " a test, pings them and waits for their deliveries. It needs no token.",
    footer = {
      "",
      "It ends with 0 when the feed is connected, with 1 when it is not, or only in part, or the"
          + " gateway could not be reached, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class CheckCommand extends RemoteCommand {

  /** Longer than a fetch, the answers of hubs and the wait for deliveries take together. */
  private static final Duration LONGEST = Duration.ofMinutes(4);

  @Parameters(paramLabel = "URL", description = "The feed.")
  private String url = "";

  @Option(
      names = "--no-wait",
      description = "Do not wait for deliveries, which come only when the feed has a new entry.")
  private boolean noWait;

  @Override
  int run(GatewayClient client) throws GatewayException {
    JsonNode check = client.json(client.form("/check", "url", url));
    String path = "/check/" + check.path("id").asText();
    if (!path.matches("/check/[0-9a-f]+")) {
      throw client.noGateway("its answer has no check");
    }
    Set<String> told = new HashSet<>();
    Pauses pauses = new Pauses(LONGEST);
    while (true) {
      String state = check.path("state").asText();
      boolean over = state.equals("done") || (noWait && state.equals("listening"));
      check.path("findings").forEach(finding -> tell(finding, told, over));
      if (over) {
        return verdict(check);
      }
      if (!pauses.pause()) {
        complain("the check did not end; see " + pageOf(check));
        return FAILED;
      }
      check = client.json(client.get(path));
    }
  }

  /** Each finding once, as soon as it is final. */
  private void tell(JsonNode finding, Set<String> told, boolean over) {
    String result = finding.path("result").asText();
    if ((result.equals("waiting") && !over) || !told.add(finding.toString())) {
      return;
    }
    String subject = finding.path("subject").asText();
    String advice = finding.path("advice").asText();
    String text = finding.path("text").asText();
    sayResult(
        String.join(
            "",
            result.toUpperCase(Locale.ROOT) + " ",
            subject.equals("feed") ? "" : subject + ": ",
            text,
            advice.isEmpty() ? "" : " " + advice));
  }

  private int verdict(JsonNode check) {
    tell(check);
    boolean done = check.path("state").asText().equals("done");
    List<String> results = check.path("findings").findValuesAsText("result");
    say(done ? check.path("summary").asText() : "The check waits for deliveries.");
    say("Shown for 24 hours at " + pageOf(check));
    boolean connected =
        done
            ? check.path("verdict").asText().equals("connected")
            : results.stream().noneMatch("problem"::equals);
    return connected ? 0 : FAILED;
  }

  private static String pageOf(JsonNode check) {
    return check.path("page").asText();
  }
}
