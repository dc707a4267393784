package io.feedbridge.gateway.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The scenarios of a bench and their settings.
 *
 * @param scenarios in their order
 * @param rounds to measure, after some to warm up
 * @param scale by which the numbers of feeds, subscriptions and events are multiplied; goals are
 *     for 1
 * @param pinned whether gateway and sink have processors of their own
 * @param store {@link #OWN_SERVER}, or the JDBC URL of a PostgreSQL database whose login may make
 *     others; empty for the embedded store
 * @param jvm further options of the gateway's JVM
 * @param folder for stores and logs; emptied of them at the end
 * @param launch a command that runs this very program, to which arguments are added
 */
public record Plan(
    List<Scenario> scenarios,
    int rounds,
    double scale,
    boolean pinned,
    Optional<String> store,
    List<String> jvm,
    Path folder,
    List<String> launch) {

  /** The JDBC URL of a database, in the one form in which its name can be replaced. */
  public static final Pattern DATABASE =
      Pattern.compile("(jdbc:postgresql://[^/?]+/)[^/?]+((?:\\?.*)?)");

  /** The store of a server that the bench starts. */
  public static final String OWN_SERVER = "postgresql";

  public Plan {
    scenarios = List.copyOf(scenarios);
    jvm = List.copyOf(jvm);
    launch = List.copyOf(launch);
  }

  /** A number of things at this scale, at least one. */
  int scaled(int full) {
    return (int) Math.max(1, Math.round(full * scale));
  }
}
