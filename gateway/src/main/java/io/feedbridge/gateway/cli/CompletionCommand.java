package io.feedbridge.gateway.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code feedbridge completion}: a script that completes commands and options. */
@Command(
    name = "completion",
    description =
        "Writes the script that completes commands and options in a shell, for a program or alias"
            + " named feedbridge.",
    footer = {
      "",
      "bash: source <(feedbridge completion bash)",
      "zsh: source <(feedbridge completion zsh), behind the call of compinit",
      "fish: feedbridge completion fish | source"
    },
    mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {

  /** The shells that there is a script for. */
  enum Shell {
    bash,
    zsh,
    fish
  }

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec
  private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
  private Shell shell = Shell.bash;

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    // The script for bash finds out that it runs in zsh.
    String script =
        shell == Shell.fish
            ? FishCompletion.of(root.getCommandSpec())
            : AutoComplete.bash("feedbridge", root);
    spec.commandLine().getOut().println(script);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
