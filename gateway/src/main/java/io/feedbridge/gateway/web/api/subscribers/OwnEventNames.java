package io.feedbridge.gateway.web.api.subscribers;

import io.feedbridge.gateway.activity.Notice;
import io.feedbridge.gateway.store.log.GatewayTopic;
import io.feedbridge.gateway.web.common.BadFieldException;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The types of the gateway's own events among the topics of a webhook. */
final class OwnEventNames {

  private static final String ALL = Notice.Type.PREFIX + "*";

  private final Set<String> types = new TreeSet<>();
  private boolean all;

  /**
   * Takes a topic that names a type.
   *
   * @return whether it does
   */
  boolean take(String topic) {
    if (!topic.startsWith(Notice.Type.PREFIX)) {
      return false;
    }
    if (topic.equals(ALL)) {
      all = true;
    } else {
      types.add(
          Notice.Type.of(topic)
              .map(Notice.Type::label)
              .orElseThrow(
                  () ->
                      new BadFieldException(
                          "topics",
                          "'%s' is no event of the gateway: there are %s and %s"
                              .formatted(
                                  topic,
                                  ALL,
                                  Arrays.stream(Notice.Type.values())
                                      .map(Notice.Type::label)
                                      .collect(Collectors.joining(", "))))));
    }
    return true;
  }

  /** The topic of the types that were taken; empty if none was. */
  Optional<String> topic() {
    return all || !types.isEmpty()
        ? Optional.of(GatewayTopic.of(all ? Set.of() : types))
        : Optional.empty();
  }

  /** A topic as users name it. */
  static Stream<String> named(String topic) {
    if (!GatewayTopic.is(topic)) {
      return Stream.of(topic);
    }
    Set<String> types = GatewayTopic.types(topic);
    return types.isEmpty() ? Stream.of(ALL) : types.stream();
  }
}
