package io.feedbridge.gateway.store.log;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The topics of the gateway's own events. They are no URLs that a caller can follow: operators
 * alone name them, by types of events.
 */
public final class GatewayTopic {

  /** The beginning of all of them. */
  public static final String BASE = "gateway:events";

  private static final String TYPES = BASE + "?type=";

  private GatewayTopic() {}

  /**
   * The topic of some types of events.
   *
   * @param types none for all
   */
  public static String of(Collection<String> types) {
    return types.isEmpty() ? BASE : TYPES + String.join(",", new TreeSet<>(types));
  }

  /** The types of a topic's events; none for all. */
  public static Set<String> types(String topic) {
    return topic.startsWith(TYPES)
        ? new TreeSet<>(List.of(topic.substring(TYPES.length()).split(",", -1)))
        : Set.of();
  }

  /** Whether a topic is one of them. */
  public static boolean is(String topic) {
    return topic.startsWith(BASE);
  }
}
