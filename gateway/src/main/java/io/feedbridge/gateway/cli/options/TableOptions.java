package io.feedbridge.gateway.cli.options;

import io.feedbridge.gateway.config.Kind;
import io.feedbridge.gateway.config.Option;
import io.feedbridge.gateway.config.OptionValues;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Problems;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The options of a table as picocli's model of a command has them. */
public final class TableOptions {

  private final List<Option<?>> table;
  private final CommandSpec model = CommandSpec.create();

  /** The options of a table. */
  public TableOptions(List<Option<?>> table) {
    this.table = table;
    table.forEach(option -> model.addOption(spec(option)));
  }

  /** Options of {@code serve}, each with the option that names a file which has its value. */
  public static TableOptions ofServe(Option<?>... options) {
    Set<String> names = Arrays.stream(options).map(Option::name).collect(Collectors.toSet());
    return new TableOptions(
        Options.ALL.stream()
            .filter(
                option ->
                    names.contains(option.name().replaceFirst("-file$", ""))
                        || names.contains(option.name()))
            .toList());
  }

  /** Has {@code --help} of a command show the options under the headings of their sections. */
  public void showSections(CommandSpec command) {
    command
        .usageMessage()
        .sectionMap()
        .put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, this::sections);
  }

  private String sections(Help help) {
    List<OptionSpec> others = new ArrayList<>(help.commandSpec().options());
    StringBuilder sections = new StringBuilder();
    for (Option.Section section : Option.Section.values()) {
      List<OptionSpec> options =
          table.stream()
              .filter(option -> option.section() == section)
              .map(option -> help.commandSpec().findOption(option.name()))
              .toList();
      others.removeAll(options);
      if (!options.isEmpty()) {
        sections.append("%n%s:%n".formatted(section.heading()));
        sections.append(help.optionListExcludingGroups(options));
      }
    }
    return help.optionListExcludingGroups(others) + sections;
  }

  private static OptionSpec spec(Option<?> option) {
    OptionSpec.Builder spec =
        OptionSpec.builder(option.name())
            .description(
                option.kind().bounds().isEmpty()
                    ? new String[] {option.text()}
                    : new String[] {option.text(), "  Bounds: " + option.kind().bounds()})
            .showDefaultValue(Visibility.NEVER);
    if (option.kind().form() == Kind.Form.FLAG) {
      spec.type(boolean.class).arity("0");
    } else {
      spec.type(option.kind().form() == Kind.Form.LIST ? List.class : String.class)
          .auxiliaryTypes(String.class)
          .arity("1")
          .paramLabel(option.kind().label());
    }
    if (!option.preset().isEmpty()) {
      spec.defaultValue(option.preset()).showDefaultValue(Visibility.ALWAYS);
    }
    return spec.build();
  }

  /** The model, to be mixed into a command's. */
  public CommandSpec model() {
    return model;
  }

  /** The keys of the options in the file. */
  public List<String> keys() {
    return table.stream().map(Option::key).toList();
  }

  /** The values, after the command line has been parsed. */
  public OptionValues values(Problems problems) {
    Map<String, String> texts = new HashMap<>();
    for (Option<?> option : table) {
      Object value = model.findOption(option.name()).getValue();
      if (value instanceof List<?> list) {
        texts.put(
            option.name(), list.stream().map(String::valueOf).collect(Collectors.joining(",")));
      } else if (value != null) {
        texts.put(option.name(), value.toString());
      }
    }
    return OptionValues.read(table, texts, problems);
  }
}
