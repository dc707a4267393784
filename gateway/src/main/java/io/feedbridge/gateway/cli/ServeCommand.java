package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.Gateway;
import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.config.Settings;
import io.feedbridge.gateway.config.SettingsReader;
import io.feedbridge.gateway.store.StoreException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** {@code feedbridge serve}: runs the gateway until it is told to stop. */
@Command(
    name = "serve",
    description = "Runs the gateway until it is stopped by SIGTERM or Ctrl-C.",
    footer = {
      "",
      "Every option can also be set by an environment variable (FEEDBRIDGE_ and the flag in capitals,"
          + " with _ for -: FEEDBRIDGE_POLL_MIN) or by a key in the file that --config names (the flag"
          + " without its dashes: poll-min). The command line wins over the environment, and that over"
          + " the file.",
      "Times are a number and a unit: 90s, 15m, 24h, 7d. Networks are in CIDR notation, separated by"
          + " commas: 10.0.0.0/8,fd00::/8."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
final class ServeCommand implements Callable<Integer> {

  static final int USAGE = 2;
  private static final int FAILED = 1;

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Unmatched private List<String> unmatched = new ArrayList<>();

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS:PORT",
      defaultValue = "127.0.0.1:5337",
      description = "Where to serve.")
  private String listen = "";

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "The base of every URL handed to others, as they reach this gateway. By default it is"
              + " derived from --listen.")
  private String publicUrl = "";

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = "./feedbridge-data",
      description = "The folder of the embedded store. It is made if it does not exist.")
  private String data = "";

  @Option(
      names = "--allow-fetch",
      paramLabel = "NETWORKS",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "Networks that feeds, hubs and clouds may be in although they are loopback, private or"
              + " link-local. Without it none is.")
  private String allowFetch = "";

  @Option(
      names = "--allow-callback",
      paramLabel = "NETWORKS",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "The same for subscribers' callbacks.")
  private String allowCallback = "";

  @Option(
      names = "--hub-format",
      paramLabel = "FORMAT",
      defaultValue = "atom",
      description =
          "What a WebSub subscription that names no format gets: atom (normalized) or raw (the"
              + " topic's own bytes).")
  private String hubFormat = "";

  @Option(
      names = "--lease-default",
      paramLabel = "TIME",
      defaultValue = "10d",
      description = "How long a WebSub subscription lasts that asks for no time.")
  private String leaseDefault = "";

  @Option(
      names = "--lease-min",
      paramLabel = "TIME",
      defaultValue = "1m",
      description = "The shortest lease of a WebSub subscription; who asks for less gets it.")
  private String leaseMin = "";

  @Option(
      names = "--lease-max",
      paramLabel = "TIME",
      defaultValue = "30d",
      description = "The longest lease of a WebSub subscription; who asks for more gets it.")
  private String leaseMax = "";

  @Option(
      names = "--poll-min",
      paramLabel = "TIME",
      defaultValue = "60s",
      description = "The shortest period at which a feed is polled.")
  private String pollMin = "";

  @Option(
      names = "--poll-max",
      paramLabel = "TIME",
      defaultValue = "24h",
      description = "The longest period at which a feed is polled.")
  private String pollMax = "";

  @Option(
      names = "--backup-poll",
      paramLabel = "TIME",
      defaultValue = "24h",
      description =
          "The longest period of the poll that watches over a feed followed by push; it is shorter"
              + " for feeds that have much news.")
  private String backupPoll = "";

  @Option(
      names = "--host-pause",
      paramLabel = "TIME",
      defaultValue = "500ms",
      description = "The pause between polls of one host, 0 for none. Pings do not wait for it.")
  private String hostPause = "";

  @Option(
      names = "--ping-quiet",
      paramLabel = "TIME",
      defaultValue = "400ms",
      description =
          "How long pings that follow within a second on a fetch wait for more of them, so that one"
              + " fetch serves all; 0 for not waiting.")
  private String pingQuiet = "";

  @Option(
      names = "--ping-recheck",
      paramLabel = "TIME",
      defaultValue = "30s",
      description =
          "When a feed that was pinged and turned out unchanged is fetched once more, 0 for never:"
              + " some publishers ping before their own caches are renewed.")
  private String pingRecheck = "";

  @Option(
      names = "--retention",
      paramLabel = "TIME",
      defaultValue = "7d",
      description =
          "How long events are kept in the log, at least 73h. Each feed's newest 50 entries are kept"
              + " for good.")
  private String retention = "";

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "What operators must show to use the API, as a Bearer token or as the password of HTTP"
              + " Basic. Without one the API is open to this machine alone, and to nobody if"
              + " --public-url is not loopback. Others on this machine can read the command line:"
              + " better set it by the environment or in a file.")
  private String adminToken = "";

  @Option(
      names = "--trust-proxy",
      paramLabel = "NETWORKS",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "Networks of proxies whose X-Forwarded-For is believed about who asks: for limits, and when"
              + " an rssCloud aggregator registers for its own address. Without it the connection's"
              + " address counts.")
  private String trustProxy = "";

  @Option(
      names = "--test-feed-period",
      paramLabel = "TIME",
      defaultValue = "15m",
      description = "How often the feed to test aggregators with, /test/feed.xml, has a new item.")
  private String testFeedPeriod = "";

  @Option(
      names = "--public-log",
      defaultValue = "false",
      description =
          "Open the log of what the gateway did lately, /log, to everyone, for those who debug a client"
              + " of it. Otherwise it is for who may use the API.")
  private boolean publicLog;

  @Option(
      names = "--public-stream",
      defaultValue = "false",
      description =
          "Open the live stream of all events, /stream, to everyone. Otherwise it is for who may use"
              + " the API.")
  private boolean publicStream;

  @Option(
      names = "--bridge",
      paramLabel = "WHICH",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "Which feeds have a bridged one at /feed.atom, /feed.rss and /feed.json: 'open' for any,"
              + " which is followed once somebody asks for it, 'followed' for those that are"
              + " followed, 'off' for none. Default: followed; open where only this machine can"
              + " ask.")
  private String bridge = "";

  @Mixin private GuardOptions guard = new GuardOptions();

  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "A properties file with further options.")
  @SuppressWarnings("UnusedVariable") // Looked for before the arguments are parsed: see ConfigFile.
  private String config = "";

  @Mixin private ProtectionOptions protection = new ProtectionOptions();

  private final ConfigFile file;

  ServeCommand(ConfigFile file) {
    this.file = file;
  }

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    Problems problems = new Problems();
    unmatched.forEach(word -> problems.add(word, "there is no such option"));
    file.check(known(), problems);
    Optional<Settings> settings = new SettingsReader(problems).read(raw());
    if (settings.isEmpty()) {
      problems.found().forEach(err::println);
      err.println("feedbridge serve --help tells all options");
      return USAGE;
    }
    try {
      return serve(settings.get());
    } catch (IOException | StoreException e) {
      err.println(e.getMessage());
      return FAILED;
    }
  }

  private SettingsReader.Raw raw() {
    return new SettingsReader.Raw(
        listen,
        publicUrl,
        data,
        allowFetch,
        allowCallback,
        hubFormat,
        leaseDefault,
        leaseMin,
        leaseMax,
        pollMin,
        pollMax,
        backupPoll,
        hostPause,
        pingQuiet,
        pingRecheck,
        retention,
        adminToken,
        trustProxy,
        testFeedPeriod,
        publicLog,
        publicStream,
        bridge,
        protection.raw(),
        guard.raw());
  }

  private Set<String> known() {
    return spec.options().stream()
        .filter(Defaults::isSetting)
        .map(Defaults::key)
        .collect(Collectors.toSet());
  }

  private static int serve(Settings settings) throws IOException, InterruptedException {
    CompletableFuture<Optional<Gateway>> started = new CompletableFuture<>();
    // From before the start, so that a signal in the middle of it is obeyed like any other.
    GracefulStop onSignal = GracefulStop.with(() -> started.join().ifPresent(Gateway::close));
    try {
      started.complete(Optional.of(Gateway.start(settings, Clock.systemUTC())));
    } finally {
      if (started.complete(Optional.empty())) {
        onSignal.withdraw();
      }
    }
    // Only a signal ends the process from here on.
    new CountDownLatch(1).await();
    return 0;
  }
}
