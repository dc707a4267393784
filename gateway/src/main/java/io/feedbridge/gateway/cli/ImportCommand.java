package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.GatewayOptions;
import io.feedbridge.gateway.cli.remote.JsonLine;
import io.feedbridge.gateway.cli.remote.PlainText;
import io.feedbridge.gateway.opml.BadOpmlException;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
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
      "It ends with 0 when every feed is followed, with 1 when a feed was refused or the gateway"
          + " could not be reached, with 2 when the arguments are wrong."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ImportCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  /** Feeds in one request. */
  private static final int AT_ONCE = 200;

  private static final int BAR = 40;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The list, in OPML.")
  private String file = "";

  @Option(
      names = "--json",
      description =
          "Write the result for each feed as a line of JSON, in place of the refused feeds and"
              + " the sums.")
  private boolean json;

  @Mixin private GatewayOptions gateway = new GatewayOptions();

  private final boolean terminal;

  /**
   * A command.
   *
   * @param terminal whether the output is a terminal
   */
  ImportCommand(boolean terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    GatewayClient client = gateway.client();
    try {
      List<Outline> outlines = Opml.read(bytes());
      return followAll(client, outlines) ? 0 : FAILED;
    } catch (IOException | BadOpmlException e) {
      err.println(file + ": " + e.getMessage());
      return FAILED;
    } catch (GatewayException e) {
      progress("");
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

  private boolean followAll(GatewayClient client, List<Outline> outlines) throws GatewayException {
    PrintWriter out = spec.commandLine().getOut();
    int followed = 0;
    int known = 0;
    int refused = 0;
    for (int from = 0; from < outlines.size(); from += AT_ONCE) {
      List<Outline> some = outlines.subList(from, Math.min(outlines.size(), from + AT_ONCE));
      bar(from, outlines.size());
      JsonNode report =
          client.json(client.post("/api/v1/import", "text/x-opml", Opml.write("import", some)));
      followed += report.path("followed").asInt();
      known += report.path("known").asInt();
      refused += report.path("refused").asInt();
      for (JsonNode item : report.path("items")) {
        if (json) {
          progress("");
          out.println(JsonLine.of(item.toString()));
        } else if (item.path("result").asText().equals("refused")) {
          progress("");
          out.println(
              PlainText.of(
                  "refused: %s: %s"
                      .formatted(item.path("url").asText(), item.path("reason").asText())));
        }
      }
    }
    progress("");
    if (json) {
      out.flush();
      return refused == 0;
    }
    out.println(
        "%,d in the list: %,d followed now, %,d known before, %,d refused"
            .formatted(outlines.size(), followed, known, refused));
    out.flush();
    return refused == 0;
  }

  private void bar(int done, int all) {
    int filled = BAR * done / all;
    progress(
        "[%s%s] %,d of %,d".formatted("#".repeat(filled), " ".repeat(BAR - filled), done, all));
  }

  /** Replaces the text of the current line; only on a terminal. */
  private void progress(String text) {
    if (terminal) {
      PrintWriter err = spec.commandLine().getErr();
      err.print("\r\u001B[K" + text);
      err.flush();
    }
  }
}
