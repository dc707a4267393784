package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import io.feedbridge.gateway.cli.remote.GatewayOptions;
import io.feedbridge.gateway.cli.remote.JsonLine;
import io.feedbridge.gateway.cli.remote.PlainText;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that asks a running gateway: its options, its output and its failures. */
abstract class RemoteCommand implements Callable<Integer> {

  static final int FAILED = 1;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Option(names = "--json", description = "Write JSON, one object a line, in place of text.")
  private boolean json;

  @Mixin private GatewayOptions gateway = new GatewayOptions();

  @Override
  public final Integer call() {
    try {
      return run(gateway.client());
    } catch (GatewayException e) {
      complain(e.reason());
      return FAILED;
    }
  }

  /**
   * Carries out the command.
   *
   * @return the exit code
   */
  abstract int run(GatewayClient client) throws GatewayException;

  final CommandSpec spec() {
    return spec;
  }

  final boolean isJson() {
    return json;
  }

  /** A line for a person; nothing with {@code --json}. */
  final void say(String line) {
    if (!json) {
      write(spec.commandLine().getOut(), PlainText.of(line));
    }
  }

  /** The lines of a table. */
  final void say(Table table) {
    table.lines(paint()).forEach(line -> write(spec.commandLine().getOut(), line));
  }

  /** A line for a person that begins with a result; nothing with {@code --json}. */
  final void sayResult(String line) {
    if (!json) {
      write(spec.commandLine().getOut(), paint().result(PlainText.of(line)));
    }
  }

  private Paint paint() {
    return new Paint(spec.commandLine().getColorScheme().ansi());
  }

  /** An object for a script; nothing without {@code --json}. */
  final void tell(JsonNode object) {
    if (json) {
      write(spec.commandLine().getOut(), JsonLine.of(object.toString()));
    }
  }

  final void complain(String line) {
    write(spec.commandLine().getErr(), PlainText.of(line));
  }

  private static void write(PrintWriter writer, String line) {
    writer.println(line);
    writer.flush();
  }
}
