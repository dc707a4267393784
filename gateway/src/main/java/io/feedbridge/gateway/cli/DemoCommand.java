package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.demo.Demo;
import io.feedbridge.gateway.demo.Screen;
import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code feedbridge demo}: shows the bridge at work, with no network and nothing to set up. */
@Command(
    name = "demo",
    description =
        "Shows the bridge at work: a gateway among a publisher, a hub, a cloud and a subscriber"
            + " of each protocol, all on this machine, with a comment on every step as it happens.",
    footer = {
      "",
      "It uses free ports of the loopback interface and a temporary folder, which it removes. Ctrl-C"
          + " ends it."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class DemoCommand implements Callable<Integer> {

  private static final int FAILED = 1;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Option(
      names = "--once",
      description =
          "End after the first turn: with exit code 0 if every subscriber got its new entries,"
              + " else with 1.")
  private boolean once;

  @Override
  public Integer call() {
    QuietLog.begin();
    Demo demo = new Demo(screen());
    GracefulStop onSignal = GracefulStop.with(demo::close);
    try {
      return demo.run(once);
    } catch (IOException | StoreException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return FAILED;
    } finally {
      demo.close();
      onSignal.withdraw();
    }
  }

  private static Screen screen() {
    return new Screen(
        // Where the terminal knows no UTF-8 it gets ASCII, which is a part of it.
        new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8)),
        takesUtf8(),
        Ansi.AUTO.enabled());
  }

  /** The terminal's own encoding, under the names that Java 19 and older ones know it by. */
  private static boolean takesUtf8() {
    return Stream.of("stdout.encoding", "sun.stdout.encoding", "native.encoding")
        .map(System::getProperty)
        .filter(Objects::nonNull)
        .findFirst()
        .filter("UTF-8"::equalsIgnoreCase)
        .isPresent();
  }
}
