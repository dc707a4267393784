package io.feedbridge.gateway.cli.offline;

import io.feedbridge.gateway.cli.options.ConfigFile;
import io.feedbridge.gateway.cli.options.TableOptions;
import io.feedbridge.gateway.config.OptionValues;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.offline.NewUser;
import io.feedbridge.gateway.publish.SavedFeeds;
import io.feedbridge.gateway.store.Right;
import io.feedbridge.gateway.store.sql.Tokens;
import java.nio.file.Path;
import java.time.Clock;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge user}: the users that may save feeds, or make Superfeedr's calls. */
@Command(
    name = "user",
    description =
        "Lists, makes and removes users. A user may save a feed in the gateway (rssCloud.saveRss) or make"
            + " Superfeedr's calls.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class UserCommand implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      spec.commandLine().usage(spec.commandLine().getOut());
    }
  }

  /** {@code feedbridge user add}. */
  @Command(
      name = "add",
      description =
          "Makes a user with a password, or with --rights one with a token, which is shown once"
              + " and stored only as a hash. The gateway may run or not; it must have been"
              + " started on its store once: on the folder, or with --store on the database.",
      footer = {
        "",
        "--data, --store and --config can also be set by an environment variable"
            + " (FEEDBRIDGE_DATA), as for serve. It ends with 0 when the user is made, with 1 when the user could not"
            + " be made, with 2 when the arguments are wrong."
      },
      mixinStandardHelpOptions = true,
      sortOptions = false,
      showDefaultValues = true)
  public static final class Add extends OfflineCommand {

    @Parameters(
        paramLabel = "LOGIN",
        showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
        description = "The name: up to 64 letters, digits, - and _, as in /files/LOGIN/rss.xml.")
    private String login = "";

    @Option(
        names = "--force",
        defaultValue = "false",
        description = "Give an existing user another password.")
    private boolean force;

    @Option(
        names = "--rights",
        split = ",",
        paramLabel = "RIGHT",
        showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
        description =
            "Give a token with these rights, by commas: subscribe, unsubscribe, list, retrieve (Superfeedr's"
                + " calls), save (rssCloud.saveRss). A user can have several tokens; without --rights it is a"
                + " password, with which a feed can be saved.")
    private List<String> rights = List.of();

    private Set<Right> wanted = Set.of();

    /** With defaults from that file. */
    public Add(ConfigFile file) {
      super(
          TableOptions.ofServe(Options.DATA, Options.STORE_URL, Options.TMP, Options.CONFIG), file);
    }

    @Override
    void check(OptionValues values, Problems problems) {
      if (!SavedFeeds.isLogin(login)) {
        problems.add("LOGIN", "is not a name of up to 64 letters, digits, - and _");
      }
      wanted = rights(problems);
    }

    @Override
    int run(OptionValues values, Path data) {
      NewUser users = NewUser.in(data, values.find(Options.STORE_URL), Clock.systemUTC());
      Optional<String> secret =
          wanted.isEmpty() ? users.add(login, force) : users.addToken(login, wanted);
      if (secret.isEmpty()) {
        err()
            .println(
                wanted.isEmpty()
                    ? "there is a user %s: --force gives another password".formatted(login)
                    : "%s has %d tokens: delete one (DELETE /api/v1/tokens/{id})"
                        .formatted(login, Tokens.MAX_OF_LOGIN));
        return ExitCode.SOFTWARE;
      }
      out().println(secret.get());
      return ExitCode.OK;
    }

    private Set<Right> rights(Problems problems) {
      Set<Right> wanted = EnumSet.noneOf(Right.class);
      for (String name : rights) {
        Optional<Right> right = Right.of(name.strip());
        if (right.isEmpty()) {
          problems.add(
              "--rights",
              "has an unknown one; there are subscribe, unsubscribe, list, retrieve, save");
        }
        right.ifPresent(wanted::add);
      }
      if (force && !rights.isEmpty()) {
        problems.add("--force", "is for passwords; a user can have several tokens");
      }
      return wanted;
    }
  }
}
