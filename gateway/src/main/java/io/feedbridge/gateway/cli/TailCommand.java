package io.feedbridge.gateway.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.GatewayOptions;
import io.feedbridge.gateway.cli.remote.JsonLine;
import io.feedbridge.gateway.cli.remote.LiveStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge tail}: shows the events of a gateway's feeds as they happen. */
@Command(
    name = "tail",
    description =
        "Shows the events of the feeds that a running gateway follows, as they happen: new"
            + " entries, and feeds that fail, are gone or are back. A lost connection is opened"
            + " again, and goes on behind the last event that was shown.",
    footer = {
      "",
      "Ctrl-C ends it. It ends with 0 then, or when its output is closed, with 1 when the"
          + " gateway could not be reached at the start or refused, with 2 when the arguments are"
          + " wrong. NO_COLOR turns colours off; only a terminal gets colours."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class TailCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(
      paramLabel = "TOPIC",
      arity = "0..*",
      description = "The followed feeds to show, at most 100. Without any, all are shown.")
  private List<String> topics = new ArrayList<>();

  @Option(
      names = "--after",
      paramLabel = "ID",
      description =
          "Begin behind this event (eventId in --json), as far as the log reaches back; 0 for"
              + " the whole log. Otherwise it begins now.")
  private @Nullable Long after;

  @Option(names = "--updates", description = "Show each changed entry too, however old.")
  private boolean updates;

  @Option(
      names = "--json",
      description =
          "Write the lines of JSON as they come. Control characters in them, which only some feeds"
              + " have, are written as \\u escapes.")
  private boolean json;

  @Mixin private GatewayOptions gateway = new GatewayOptions();

  private final OutputStream stdout;
  private final Clock clock;
  private final boolean colours;
  private final LiveStream.Patience patience;

  /**
   * A command.
   *
   * @param stdout where the lines of JSON go; one that fails ends it
   * @param colours whether the output is a terminal and colours are wanted
   */
  TailCommand(OutputStream stdout, Clock clock, boolean colours, LiveStream.Patience patience) {
    this.stdout = stdout;
    this.clock = clock;
    this.colours = colours;
    this.patience = patience;
  }

  @Override
  public Integer call() {
    Long begin = after;
    if (begin != null && begin < 0) {
      throw new ParameterException(
          spec.commandLine(), "--after: '%d' is not an id".formatted(begin));
    }
    List<String> query = new ArrayList<>();
    topics.forEach(topic -> query.addAll(List.of("topic", topic)));
    if (updates) {
      query.addAll(List.of("updates", "true"));
    }
    String id = begin == null ? null : begin.toString();
    LiveStream stream = new LiveStream(gateway.client(), patience, query, id);
    GracefulStop onSignal = GracefulStop.with(stream::close);
    try {
      stream.read(new Screen());
      return 0;
    } catch (GatewayException e) {
      spec.commandLine().getErr().println(e.reason());
      return FAILED;
    } finally {
      onSignal.withdraw();
    }
  }

  /** Each event is written out before the next is read, so that nothing waits in a buffer. */
  private final class Screen implements LiveStream.Reader {
    private final EventText text = new EventText(clock, ZoneId.systemDefault(), colours);

    @Override
    public boolean event(byte[] line, JsonNode document) {
      if (!json) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(text.of(document));
        return !out.checkError();
      }
      try {
        stdout.write(JsonLine.of(line));
        stdout.write('\n');
        stdout.flush();
        return true;
      } catch (IOException nobodyReads) {
        return false;
      }
    }

    @Override
    public void lost(String why, Duration pause) {
      notice("the stream is lost (%s), trying again in %s s".formatted(why, seconds(pause)));
    }

    @Override
    public void resumed() {
      notice("the stream goes on");
    }

    private void notice(String notice) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(notice);
      err.flush();
    }
  }

  private static String seconds(Duration pause) {
    return pause.toMillis() % 1_000 == 0
        ? Long.toString(pause.toSeconds())
        : Double.toString(pause.toMillis() / 1_000.0);
  }
}
