package io.feedbridge.gateway.cli.operate;

import io.feedbridge.gateway.cli.remote.PlainText;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The id of an object of the API on the command line, which becomes a segment of a path. */
final class Id {

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  private Id() {}

  /** Refuses a text that is no id. */
  static void check(CommandSpec spec, String id) {
    if (!ID.matcher(id).matches()) {
      throw new ParameterException(
          spec.commandLine(), "ID: '%s' is not an id".formatted(PlainText.of(id)));
    }
  }
}
