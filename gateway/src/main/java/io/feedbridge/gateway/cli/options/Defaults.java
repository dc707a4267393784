package io.feedbridge.gateway.cli.options;

import io.feedbridge.gateway.config.Option;
import io.feedbridge.gateway.config.Options;
import io.feedbridge.gateway.config.Settings;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Where an option's value comes from when the command line has none: the environment, then the
 * properties file, then the default that {@code --help} shows. A command that calls a gateway calls
 * the configured one with its token, unless it is told of another one.
 */
public final class Defaults implements IDefaultValueProvider {

  private static final String BENCHMARK = "bench";
  private static final String GATEWAY = "--gateway";
  private static final String TOKEN = "--token";
  private static final String TOKEN_FILE = "--token-file";

  private final Map<String, String> environment;
  private final ConfigFile file;
  private final String[] args;

  public Defaults(Map<String, String> environment, ConfigFile file, String... args) {
    this.environment = environment;
    this.file = file;
    this.args = args.clone();
  }

  @Override
  public @Nullable String defaultValue(ArgSpec arg) {
    if (!(arg instanceof OptionSpec option) || !isSetting(option)) {
      return null;
    }
    String name = option.longestName();
    return set(name).or(() -> ofConfigured(name)).orElse(null);
  }

  private Optional<String> set(String name) {
    return Optional.ofNullable(environment.get(Option.variable(name)))
        .or(() -> file.value(Option.key(name)));
  }

  private Optional<String> ofConfigured(String name) {
    // The token of one gateway must not be sent to another.
    boolean asConfigured = !isGiven(GATEWAY) && !isGiven(TOKEN) && !isGiven(TOKEN_FILE);
    return switch (name) {
      case GATEWAY -> url();
      case TOKEN -> asConfigured ? set(Options.ADMIN_TOKEN.name()) : Optional.empty();
      case TOKEN_FILE ->
          asConfigured ? set(Options.ADMIN_TOKEN.name() + "-file") : Optional.empty();
      default -> Optional.empty();
    };
  }

  private boolean isGiven(String name) {
    return set(name).isPresent()
        || Arrays.stream(args).anyMatch(arg -> arg.equals(name) || arg.startsWith(name + "="));
  }

  /** A certificate is for the name in the public URL; without one the gateway is at its address. */
  private Optional<String> url() {
    if (set(Options.TLS_CERT.name()).isPresent() && set(Options.PUBLIC_URL.name()).isPresent()) {
      return set(Options.PUBLIC_URL.name());
    }
    return set(Options.LISTEN.name())
        .flatMap(text -> Options.LISTEN.kind().reader().read(text, problem -> {}))
        .filter(listen -> listen.getPort() != 0)
        .map(
            listen ->
                Settings.derivedUrl(listen, set(Options.TLS_CERT.name()).isPresent()).toString());
  }

  /**
   * Whether an option can be set elsewhere than on the command line. The options for help and
   * version cannot: an image that left its FEEDBRIDGE_VERSION in the environment asks for no
   * version. Nor can the options of a benchmark, which must not measure with the store of the
   * gateway that is configured.
   */
  private static boolean isSetting(OptionSpec option) {
    return !option.usageHelp()
        && !option.versionHelp()
        && !(option.command() != null && BENCHMARK.equals(option.command().name()));
  }
}
