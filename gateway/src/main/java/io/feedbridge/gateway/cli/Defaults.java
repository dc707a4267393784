package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.config.Option;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Where an option's value comes from when the command line has none: the environment, then the
 * properties file, then the default that {@code --help} shows.
 */
final class Defaults implements IDefaultValueProvider {

  private final Map<String, String> environment;
  private final ConfigFile file;

  Defaults(Map<String, String> environment, ConfigFile file) {
    this.environment = environment;
    this.file = file;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec arg) {
    if (!(arg instanceof OptionSpec option) || !isSetting(option)) {
      return null;
    }
    String fromEnvironment = environment.get(Option.variable(option.longestName()));
    return fromEnvironment != null
        ? fromEnvironment
        : file.value(Option.key(option.longestName())).orElse(null);
  }

  /**
   * Whether an option can be set elsewhere than on the command line. The options for help and
   * version cannot: an image that left its FEEDBRIDGE_VERSION in the environment asks for no
   * version.
   */
  private static boolean isSetting(OptionSpec option) {
    return !option.usageHelp() && !option.versionHelp();
  }
}
