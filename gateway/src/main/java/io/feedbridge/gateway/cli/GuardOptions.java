package io.feedbridge.gateway.cli;

import io.feedbridge.gateway.config.SettingsReader;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** The options of {@code serve} about what strangers may have the gateway do. */
final class GuardOptions {

  @Option(
      names = "--topics",
      paramLabel = "PATTERNS",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description =
          "What may be followed, by commas: hosts (example.org, *.example.org for those below it, * for"
              + " all), with a scheme, a port or the beginning of a path if need be"
              + " (https://example.org/feeds/); with ! before it, what may not, whatever else allows"
              + " it; @FILE for a file of patterns, one a line. Without it all may be.")
  private String topics = "";

  @Option(
      names = "--callbacks",
      paramLabel = "PATTERNS",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description = "The same for what may be called.")
  private String callbacks = "";

  @Option(
      names = "--limit-pings",
      paramLabel = "RATE",
      defaultValue = "600/m",
      description = "How many pings one caller may send; one for each URL.")
  private String pings = "";

  @Option(
      names = "--limit-feed-pings",
      paramLabel = "RATE",
      defaultValue = "60/m",
      description = "How many of them may be for one feed.")
  private String feedPings = "";

  @Option(
      names = "--limit-subscriptions",
      paramLabel = "RATE",
      defaultValue = "10000/h",
      description = "How many subscriptions one caller may ask for, renew or end.")
  private String subscriptions = "";

  @Option(
      names = "--limit-callbacks",
      paramLabel = "RATE",
      defaultValue = "20000/h",
      description = "The same for each host of a callback, whoever asks.")
  private String callbackRequests = "";

  @Option(
      names = "--limit-feeds",
      paramLabel = "RATE",
      defaultValue = "2000/d",
      description = "How many feeds one caller may have followed that were not.")
  private String feeds = "";

  @Option(
      names = "--limit-unasked",
      paramLabel = "RATE",
      defaultValue = "250/h",
      description =
          "How many requests a host gets that only strangers ask for (verifications, tests of"
              + " handlers, registrations at hubs and clouds) while it does not show that it wants"
              + " them; those that it confirms do not count. This one holds whoever asks.")
  private String unasked = "";

  @Option(
      names = "--limit-exempt",
      paramLabel = "NETWORKS",
      defaultValue = "",
      showDefaultValue = Visibility.NEVER,
      description =
          "Networks of callers that have no limits. So has who shows the admin token, and who asks from"
              + " this machine where that may use the API without one.")
  private String exempt = "";

  SettingsReader.RawGuarding raw() {
    return new SettingsReader.RawGuarding(
        topics,
        callbacks,
        pings,
        feedPings,
        subscriptions,
        callbackRequests,
        feeds,
        unasked,
        exempt);
  }
}
