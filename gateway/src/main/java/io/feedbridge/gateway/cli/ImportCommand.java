package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.GatewayOptions;
import io.feedbridge.gateway.cli.remote.JsonLine;
import io.feedbridge.gateway.cli.remote.PlainText;
import io.feedbridge.gateway.opml.BadOpmlException;
import io.feedbridge.gateway.opml.Opml;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge import}: lets a running gateway follow every feed of an OPML list. */
@Command(
    name = "import",
    description =
        "Makes a running gateway follow every feed of an OPML list, even without a subscriber."
            + " The feeds are fetched at the pace of polling.",
    footer = {
      "",
      "It ends with 0 when every feed is followed, with 1 when a line is bad or forbidden or the"
          + " gateway could not be reached, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ImportCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The list, in OPML.")
  private String file = "";

  @Option(
      names = "--json",
      description =
          "Write the result for each line of the list as a line of JSON, in place of the bad and"
              + " forbidden lines and the sums.")
  private boolean json;

  @Mixin private GatewayOptions gateway = new GatewayOptions();

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    try {
      byte[] list = bytes();
      // A file that is no list is told without a gateway.
      Opml.read(list);
      GatewayClient client = gateway.client();
      return told(client.json(client.post("/api/v1/import", "text/x-opml", list))) ? 0 : FAILED;
    } catch (IOException | BadOpmlException e) {
      err.println(file + ": " + e.getMessage());
      return FAILED;
    } catch (GatewayException e) {
      err.println(e.reason());
      return FAILED;
    }
  }

  private byte[] bytes() throws IOException {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] bytes = in.readNBytes(Opml.MAX_BYTES + 1);
      if (bytes.length > Opml.MAX_BYTES) {
        throw new IOException("the list has more than %,d bytes".formatted(Opml.MAX_BYTES));
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw new IOException("there is no such file", e);
    } catch (InvalidPathException e) {
      throw new IOException("the name is no path: " + e.getReason(), e);
    }
  }

  /** Prints a report; whether every feed of the list is followed. */
  private boolean told(JsonNode report) {
    PrintWriter out = spec.commandLine().getOut();
    for (JsonNode item : report.path("items")) {
      String result = item.path("result").asText();
      if (json) {
        out.println(JsonLine.of(item.toString()));
      } else if (result.equals("bad") || result.equals("forbidden")) {
        String line = item.path("line").asText();
        String url = item.path("url").asText();
        out.println(
            PlainText.of(
                "line %s, %s: %s: %s"
                    .formatted(
                        line,
                        result,
                        url.isEmpty() ? item.path("title").asText() : url,
                        item.path("reason").asText())));
      }
    }
    int bad = report.path("bad").asInt();
    int forbidden = report.path("forbidden").asInt();
    if (!json) {
      out.println(
          "%,d in the list: %,d followed now, %,d known before, %,d twice, %,d bad, %,d forbidden"
              .formatted(
                  report.path("items").size(),
                  report.path("followed").asInt(),
                  report.path("known").asInt(),
                  report.path("duplicate").asInt(),
                  bad,
                  forbidden));
    }
    out.flush();
    return bad + forbidden == 0;
  }
}
