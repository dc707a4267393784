package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.cli.offline.BackupCommand;
import io.feedbridge.gateway.cli.offline.MigrateCommand;
import io.feedbridge.gateway.cli.offline.RestoreCommand;
import io.feedbridge.gateway.cli.offline.UserCommand;
import io.feedbridge.gateway.cli.operate.CheckCommand;
import io.feedbridge.gateway.cli.operate.DeliveriesCommand;
import io.feedbridge.gateway.cli.operate.DoctorCommand;
import io.feedbridge.gateway.cli.operate.ListCommand;
import io.feedbridge.gateway.cli.operate.MigrateSuperfeedrCommand;
import io.feedbridge.gateway.cli.operate.RemoveUserCommand;
import io.feedbridge.gateway.cli.operate.RetryCommand;
import io.feedbridge.gateway.cli.operate.StatusCommand;
import io.feedbridge.gateway.cli.operate.TokenCommand;
import io.feedbridge.gateway.cli.operate.UnsubscribeCommand;
import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.Defaults;
import io.feedbridge.gateway.cli.receive.ReceiveCommand;
import io.feedbridge.gateway.cli.remote.LiveStream;
import io.feedbridge.gateway.cli.remote.PlainText;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import picocli.CommandLine;

/** The entry of {@code feedbridge}. */
public final class Main {

  private Main() {}

  /** Runs the command that the arguments name and exits with its code. */
  public static void main(String[] args) {
    // With TLS 1.2 a client could otherwise have keys worked with again and again.
    System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
    System.exit(run(args));
  }

  /** Runs the command that the arguments name. */
  static int run(String... args) {
    return commands(args).execute(args);
  }

  /** The commands, as far as the arguments need them; all without arguments. */
  public static CommandLine commands(String... args) {
    ConfigFile file = ConfigFile.namedBy(args, System.getenv());
    CommandLine line = FeedbridgeCommand.grouped(new CommandLine(new FeedbridgeCommand()));
    if (args.length > 0 && args[0].equals("normalize")) {
      // It is run on many small files by scripts: the others would take half of its time to start
      QuietLog.none();
      line.addSubcommand(normalize());
    } else if (args.length > 0 && args[0].equals("serve")) {
      // The options of all others would take a tenth of the time of a start.
      line.addSubcommand(new ServeCommand(file));
    } else {
      addAll(line, file);
    }
    return line.setDefaultValueProvider(new Defaults(System.getenv(), file, args))
        .setParameterExceptionHandler(Main::tellWrongUsage);
  }

  private static void addAll(CommandLine line, ConfigFile file) {
    line.addSubcommand(new ServeCommand(file))
        .addSubcommand(new BackupCommand(file))
        .addSubcommand(new RestoreCommand(file))
        .addSubcommand(new MigrateCommand(file))
        .addSubcommand(new ExplainCommand(Clock.systemUTC()))
        .addSubcommand(new ImportCommand())
        .addSubcommand(new MigrateSuperfeedrCommand())
        .addSubcommand(new PingCommand())
        .addSubcommand(new SubscribeCommand())
        .addSubcommand(
            new TailCommand(
                stdout(),
                Clock.systemUTC(),
                CommandLine.Help.Ansi.AUTO.enabled(),
                LiveStream.Patience.USUAL))
        .addSubcommand(normalize())
        .addSubcommand(new StatusCommand())
        .addSubcommand(new DoctorCommand())
        .addSubcommand(new CheckCommand())
        .addSubcommand(ListCommand.feeds())
        .addSubcommand(ListCommand.subscriptions())
        .addSubcommand(ListCommand.webhooks())
        .addSubcommand(new UnsubscribeCommand())
        .addSubcommand(new DeliveriesCommand())
        .addSubcommand(new RetryCommand())
        .addSubcommand(TokenCommand.line())
        .addSubcommand(new ReceiveCommand(Clock.systemUTC()))
        .addSubcommand(new CompletionCommand())
        .addSubcommand(
            new CommandLine(new UserCommand())
                .addSubcommand(ListCommand.users())
                .addSubcommand(new UserCommand.Add(file))
                .addSubcommand(new RemoveUserCommand()))
        .addSubcommand(new DemoCommand())
        .addSubcommand(BenchCommand.withParts(CommandLine.Help.Ansi.AUTO.enabled()));
  }

  /** Names the mistake, and the command that shows the options, in two lines. */
  static int tellWrongUsage(CommandLine.ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    List<String> similar =
        wrong instanceof CommandLine.UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    String meant = similar.isEmpty() ? "" : "; did you mean " + String.join(" or ", similar) + "?";
    err.println(PlainText.of(wrong.getMessage() + meant));
    err.println(command.getCommandSpec().qualifiedName() + " --help shows all options");
    return CommandLine.ExitCode.USAGE;
  }

  private static NormalizeCommand normalize() {
    return new NormalizeCommand(System.in, stdout(), Clock.systemUTC());
  }

  /**
   * Standard output that writes bytes as they are, and fails when the reading process has closed
   * it.
   */
  private static OutputStream stdout() {
    return new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
  }
}
