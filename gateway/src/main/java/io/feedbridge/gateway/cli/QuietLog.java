package io.feedbridge.gateway.cli;

/** For commands with a gateway or a store in them, whose log would drown what they have to show. */
final class QuietLog {

  private static final String LEVEL = "FEEDBRIDGE_LOG_LEVEL";

  private QuietLog() {}

  /**
   * Leaves warnings alone, unless somebody wants it otherwise. It must not have begun yet: logging
   * starts with the first class that logs.
   */
  static void begin() {
    if (System.getenv(LEVEL) == null && System.getProperty(LEVEL) == null) {
      System.setProperty(LEVEL, "WARN");
    }
  }
}
