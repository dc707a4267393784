package io.feedbridge.gateway.cli;

import java.util.Locale;
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
    String key = key(option);
    String fromEnvironment = environment.get(variable(key));
    return fromEnvironment != null ? fromEnvironment : file.value(key).orElse(null);
  }

  /**
   * Whether an option can be set elsewhere than on the command line. An environment in which an
   * image left its FEEDBRIDGE_VERSION asks nobody for a version.
   */
  static boolean isSetting(OptionSpec option) {
    return !option.usageHelp() && !option.versionHelp();
  }

  /** An option's name in the properties file. */
  static String key(OptionSpec option) {
    return option.longestName().replaceFirst("^--", "");
  }

  private static String variable(String key) {
    return "FEEDBRIDGE_" + key.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
