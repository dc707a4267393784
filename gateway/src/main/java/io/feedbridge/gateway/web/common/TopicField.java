package io.feedbridge.gateway.web.common;

import io.feedbridge.gateway.bridge.BadBridgeException;
import io.feedbridge.gateway.bridge.BridgedUrl;
import io.feedbridge.gateway.bridge.BridgedUrls;
import io.feedbridge.gateway.guard.Policies;
import io.feedbridge.websub.BadHubRequestException;
import io.feedbridge.websub.TopicUrl;
import java.util.Optional;

/** Topics in fields and parameters; an invalid one is a {@link BadFieldException}. */
public final class TopicField {

  private TopicField() {}

  /** The topic, normalised. */
  public static String normalized(String field, String given) {
    try {
      return TopicUrl.normalize(field, given);
    } catch (BadHubRequestException e) {
      throw new BadFieldException(field, e.reason());
    }
  }

  /** The same of one that is to be followed, which the operator's policies must permit. */
  public static String permitted(
      String field, String given, BridgedUrls bridges, Policies policies) {
    String topic = of(field, given, bridges);
    Optional<String> refusal = policies.operatorRefusal(topic);
    if (refusal.isPresent()) {
      throw new BadFieldException(field, refusal.get());
    }
    return topic;
  }

  /** The same; the URL of a bridged feed stands for the feed itself (rule L17). */
  public static String of(String field, String given, BridgedUrls bridges) {
    String topic = normalized(field, given);
    try {
      return bridges.find(topic).map(BridgedUrl::topic).orElse(topic);
    } catch (BadBridgeException e) {
      throw new BadFieldException(field, e.reason());
    }
  }
}
