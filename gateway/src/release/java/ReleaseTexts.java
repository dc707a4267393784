import io.feedbridge.gateway.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Writes the texts of a release that the commands themselves have: a manual page of each, as
 * AsciiDoc, and the completions of three shells. Run as a source file, with the jar and picocli's
 * generator on the class path: {@code java -cp … ReleaseTexts.java FOLDER}.
 */
final class ReleaseTexts {

  private static final Map<String, String> COMPLETIONS =
      Map.of("bash", "feedbridge", "zsh", "_feedbridge", "fish", "feedbridge.fish");

  private ReleaseTexts() {}

  public static void main(String[] args) throws IOException {
    CommandLine root = Main.commands();
    Path folder = Path.of(args[0]);
    Path pages = Files.createDirectories(folder.resolve("man"));
    List<CommandSpec> specs = new ArrayList<>();
    collect(root.getCommandSpec(), specs);
    int code =
        ManPageGenerator.generateManPage(
            pages.toFile(), null, new boolean[0], true, specs.toArray(CommandSpec[]::new));
    if (code != 0) {
      System.exit(code);
    }
    for (Map.Entry<String, String> completion : COMPLETIONS.entrySet()) {
      Path file = folder.resolve("completions").resolve(completion.getKey());
      Files.createDirectories(file);
      try (PrintWriter out =
          new PrintWriter(file.resolve(completion.getValue()).toFile(), StandardCharsets.UTF_8)) {
        if (completion.getKey().equals("zsh")) {
          out.println("#compdef feedbridge");
        }
        root.setOut(out).execute("completion", completion.getKey());
        if (completion.getKey().equals("zsh")) {
          // The file is read at the first completion, which it must answer too.
          out.println("_bash_complete -o default -F _complete_feedbridge");
        }
      }
    }
  }

  private static void collect(CommandSpec command, List<CommandSpec> all) {
    if (command.usageMessage().hidden()) {
      return;
    }
    // The name of a page is told in one line, and a footer is written only under a heading.
    String[] description = command.usageMessage().description();
    command.usageMessage().header(description[0].replaceFirst("(?s)\\.\\s.*", "."));
    command.usageMessage().footerHeading("Notes%n");
    all.add(command);
    command.subcommands().values().forEach(sub -> collect(sub.getCommandSpec(), all));
  }
}
