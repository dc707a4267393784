package io.feedbridge.gateway.cli.remote;

import io.feedbridge.gateway.config.Problems;
import io.feedbridge.gateway.config.SecretFile;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of every command that asks a running gateway. */
public final class GatewayOptions {

  /** The characters that a header field may have. */
  private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

  // Set by picocli before it calls the command.
  @SuppressWarnings("NullAway.Init")
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--gateway",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:5337",
      showDefaultValue = Visibility.ALWAYS,
      description = "The gateway to call.")
  private String gateway = "";

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description =
          "The gateway's admin token, if it has one. Other users of this machine can read the"
              + " command line: FEEDBRIDGE_TOKEN is safer.")
  private String token = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The file that holds the token, in place of --token.")
  private String tokenFile = "";

  /**
   * The gateway that they name.
   *
   * @throws ParameterException if they name none
   */
  public GatewayClient client() {
    String shown = secret(spec, "--token", token, tokenFile);
    if (!shown.isEmpty() && !VISIBLE.matcher(shown).matches()) {
      throw new ParameterException(
          spec.commandLine(), "--token: is not a word of visible ASCII characters");
    }
    return new GatewayClient(base(), shown);
  }

  /**
   * The value of an option, or of the file that its twin names; empty for none.
   *
   * @throws ParameterException if the file cannot be read, or both are given
   */
  public static String secret(CommandSpec spec, String option, String text, String file) {
    Problems problems = new Problems();
    String secret = SecretFile.of(option, text, file, problems).orElse("");
    problems.found().stream()
        .findFirst()
        .ifPresent(
            problem -> {
              throw new ParameterException(spec.commandLine(), PlainText.of(problem));
            });
    return secret;
  }

  private String base() {
    return site(spec, "--gateway", gateway);
  }

  /**
   * The URL of a site, without a slash at its end.
   *
   * @throws ParameterException if it is none
   */
  public static String site(CommandSpec spec, String option, String text) {
    String base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    try {
      URI url = new URI(base);
      String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
      if (url.getHost() != null
          && url.getRawUserInfo() == null
          && url.getRawQuery() == null
          && url.getRawFragment() == null
          && (scheme.equals("http") || scheme.equals("https"))) {
        return base;
      }
    } catch (URISyntaxException e) {
      // Told below, like any other text that is no such URL.
    }
    throw new ParameterException(
        spec.commandLine(),
        "%s: '%s' is not an http or https URL such as http://127.0.0.1:5337"
            .formatted(option, PlainText.of(text)));
  }
}
