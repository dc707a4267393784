package io.feedbridge.gateway.cli;

import org.slf4j.LoggerFactory;

/**
 * Sets the log level of commands with a gateway or a store in them, whose log would drown their
 * output.
 */
final class QuietLog {

  private static final String LEVEL = "FEEDBRIDGE_LOG_LEVEL";

  private QuietLog() {}

  /**
   * Logs warnings and errors only, unless the environment or a system property sets a level.
   * Logging must not have begun yet: it starts with the first class that logs.
   */
  static void begin() {
    if (System.getenv(LEVEL) == null && System.getProperty(LEVEL) == null) {
      System.setProperty(LEVEL, "WARN");
    }
  }

  /**
   * Logs nothing, unless the environment sets a level: starting the log costs more than reading a
   * hundred feeds. It must not have begun yet.
   */
  static void none() {
    if (System.getenv(LEVEL) == null && System.getProperty(LEVEL) == null) {
      // Else SLF4J tells on the standard error which provider it takes
      System.setProperty("slf4j.internal.verbosity", "WARN");
      System.setProperty(
          LoggerFactory.PROVIDER_PROPERTY_KEY, "org.slf4j.helpers.NOP_FallbackServiceProvider");
    }
  }
}
