package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.client.AddressPolicy;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.ClientConfig;
import io.feedbridge.gateway.client.OutboundClient;
import io.feedbridge.gateway.client.Purpose;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.opml.BadOpmlException;
import io.feedbridge.gateway.opml.Opml;
import io.feedbridge.gateway.opml.Outline;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge import}: lets a running gateway follow every feed of an OPML list. */
@Command(
    name = "import",
    description =
        "Lets a running gateway follow every feed of an OPML list, even with no subscriber. They are"
            + " fetched in turn, so that no host is asked too much.",
    footer = {
      "",
      "It ends with 0 when every feed is followed, with 1 when some were refused or the gateway could"
          + " not be asked, with 2 when it was asked for wrongly."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ImportCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  /** Feeds in one request. */
  private static final int AT_ONCE = 200;

  private static final int BAR = 40;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The list, in OPML.")
  private String file = "";

  @Option(
      names = "--gateway",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:5337",
      showDefaultValue = picocli.CommandLine.Help.Visibility.ALWAYS,
      description = "The gateway to ask.")
  private String gateway = "";

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      defaultValue = "",
      description =
          "The gateway's admin token, if it has one. Others on this machine can read the command"
              + " line: better set FEEDBRIDGE_TOKEN.")
  private String token = "";

  private final boolean terminal;

  /**
   * A command.
   *
   * @param terminal whether a person looks on
   */
  ImportCommand(boolean terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    try {
      List<Outline> outlines = Opml.read(bytes());
      return followAll(outlines) ? 0 : FAILED;
    } catch (IOException | BadOpmlException e) {
      progress("");
      err.println(file + ": " + e.getMessage());
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

  private boolean followAll(List<Outline> outlines) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    AddressPolicy anywhere = AddressPolicy.allowing(List.of("0.0.0.0/0", "::/0"), List.of());
    int followed = 0;
    int known = 0;
    int refused = 0;
    try (OutboundClient client = OutboundClient.start(1, ClientConfig.defaults(), anywhere)) {
      for (int from = 0; from < outlines.size(); from += AT_ONCE) {
        List<Outline> some = outlines.subList(from, Math.min(outlines.size(), from + AT_ONCE));
        bar(from, outlines.size());
        JsonNode report = follow(client, some);
        followed += report.path("followed").asInt();
        known += report.path("known").asInt();
        refused += report.path("refused").asInt();
        for (JsonNode item : report.path("items")) {
          if (item.path("result").asText().equals("refused")) {
            progress("");
            out.println(
                "refused: %s: %s"
                    .formatted(item.path("url").asText(), item.path("reason").asText()));
          }
        }
      }
    }
    progress("");
    out.println(
        "%,d in the list: %,d followed now, %,d known before, %,d refused"
            .formatted(outlines.size(), followed, known, refused));
    out.flush();
    return refused == 0;
  }

  private JsonNode follow(OutboundClient client, List<Outline> outlines) throws IOException {
    String base = gateway.endsWith("/") ? gateway.substring(0, gateway.length() - 1) : gateway;
    Call.Builder call =
        Call.post(base + "/api/v1/import", Purpose.FETCH, Opml.write("import", outlines))
            .header("Content-Type", "text/x-opml")
            .refuseBodyOver(Opml.MAX_BYTES)
            .timeout(TIMEOUT);
    if (!token.isEmpty()) {
      call.header("Authorization", "Bearer " + token);
    }
    Reply reply;
    try {
      reply = client.send(call.build()).join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException("the gateway %s: %s".formatted(base, cause.getMessage()), cause);
    }
    if (!reply.successful()) {
      throw new IOException(
          "the gateway answered with status %d: %s"
              .formatted(reply.status(), detail(new String(reply.body(), StandardCharsets.UTF_8))));
    }
    return MAPPER.readTree(reply.body());
  }

  private static String detail(String problem) {
    try {
      return MAPPER.readTree(problem).path("detail").asText("no reason");
    } catch (IOException noJson) {
      return "no reason";
    }
  }

  private void bar(int done, int all) {
    int filled = BAR * done / all;
    progress(
        "[%s%s] %,d of %,d".formatted("#".repeat(filled), " ".repeat(BAR - filled), done, all));
  }

  /** In place of what stood on the line before; only for somebody who looks on. */
  private void progress(String text) {
    if (terminal) {
      PrintWriter err = spec.commandLine().getErr();
      err.print("\r\u001B[K" + text);
      err.flush();
    }
  }
}
