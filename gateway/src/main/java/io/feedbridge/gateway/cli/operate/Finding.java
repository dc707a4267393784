package io.feedbridge.gateway.cli.operate;

import java.util.Locale;

/**
 * A result of {@code feedbridge doctor}.
 *
 * @param check the name of the check
 * @param text the state, as a sentence
 * @param advice the step that mends it; empty where nothing is to be done
 */
record Finding(String check, Result result, String text, String advice) {

  /** How a check ended. */
  enum Result {
    OK,
    WARN,
    FAIL,
    /** The check had nothing to look at. */
    SKIPPED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Finding ok(String check, String text) {
    return new Finding(check, Result.OK, text, "");
  }

  static Finding warn(String check, String text, String advice) {
    return new Finding(check, Result.WARN, text, advice);
  }

  static Finding fail(String check, String text, String advice) {
    return new Finding(check, Result.FAIL, text, advice);
  }

  static Finding skipped(String check, String text, String advice) {
    return new Finding(check, Result.SKIPPED, text, advice);
  }
}
