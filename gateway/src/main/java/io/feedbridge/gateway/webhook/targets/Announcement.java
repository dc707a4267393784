package io.feedbridge.gateway.webhook.targets;

import io.feedbridge.gateway.store.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A message of the gateway itself, which is about no entry.
 *
 * @param text one sentence, for targets that show messages to people
 * @param members of the JSON beside its {@code type}, in their order
 */
public record Announcement(String type, String text, Map<String, String> members) {

  /** The first message to an endpoint, which gives the challenge back. */
  public static Announcement verification(String challenge) {
    return new Announcement(
        "endpoint.verification",
        "Feedbridge is connected: new entries come here from now on.",
        Map.of("challenge", challenge));
  }

  /** A message that an operator asked for. */
  public static Announcement test(long webhook) {
    return new Announcement(
        "endpoint.test",
        "This is a test message of Feedbridge.",
        Map.of("webhook", Long.toString(webhook)));
  }

  /** With its sentence among its members. */
  Announcement withText() {
    Map<String, String> more = new LinkedHashMap<>(members);
    more.put("text", text);
    return new Announcement(type, text, more);
  }

  /** Its JSON, the type first. */
  byte[] json() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("type", type);
    all.putAll(members);
    return Json.bytes(all);
  }
}
