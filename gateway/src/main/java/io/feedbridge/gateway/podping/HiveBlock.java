package io.feedbridge.gateway.podping;

import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A block as far as it has pings.
 *
 * @param id its hash, which begins with its number
 * @param previous the id of the block before
 */
record HiveBlock(long number, String id, String previous, List<Ping> pings) {

  /** URLs of one message that are read: on Hive a message has 8 KiB. */
  static final int MAX_OF_MESSAGE = 500;

  private static final Pattern IDS =
      Pattern.compile("podping|pp_[a-z0-9]+_[a-z0-9]+", Pattern.CASE_INSENSITIVE);
  private static final String CUSTOM_JSON = "custom_json_operation";
  private static final int NUMBER_DIGITS = 8;
  private static final int HEX = 16;

  /**
   * One message of Podping.
   *
   * @param account that signed it
   */
  record Ping(String account, Set<String> urls) {}

  /**
   * A block of an answer of {@code block_api}.
   *
   * @throws BadHiveAnswerException if it is none
   */
  static HiveBlock of(@Nullable Object json) throws BadHiveAnswerException {
    Map<?, ?> block = map(json);
    String id = String.valueOf(block.get("block_id"));
    if (!id.matches("[0-9a-f]{40}")) {
      throw new BadHiveAnswerException("a block has no block_id");
    }
    List<Ping> pings = new ArrayList<>();
    for (Object transaction : list(block.get("transactions"))) {
      for (Object operation : list(map(transaction).get("operations"))) {
        Map<?, ?> one = map(operation);
        if (CUSTOM_JSON.equals(one.get("type"))) {
          Ping ping = ping(map(one.get("value")));
          if (!ping.urls.isEmpty()) {
            pings.add(ping);
          }
        }
      }
    }
    return new HiveBlock(
        Long.parseLong(id.substring(0, NUMBER_DIGITS), HEX),
        id,
        String.valueOf(block.get("previous")),
        pings);
  }

  private static Ping ping(Map<?, ?> operation) {
    List<?> accounts = list(operation.get("required_posting_auths"));
    if (accounts.isEmpty() || !IDS.matcher(String.valueOf(operation.get("id"))).matches()) {
      return new Ping("", Set.of());
    }
    Set<String> urls = new LinkedHashSet<>();
    Map<?, ?> message = message(String.valueOf(operation.get("json")));
    for (Object url : list(message.get(message.containsKey("iris") ? "iris" : "urls"))) {
      if (urls.size() < MAX_OF_MESSAGE && url instanceof String text) {
        urls.add(text);
      }
    }
    return new Ping(String.valueOf(accounts.get(0)), urls);
  }

  /** Strangers write messages too: one that is no JSON has no pings. */
  private static Map<?, ?> message(String json) {
    try {
      return map(Json.read(json, Object.class));
    } catch (StoreException noJson) {
      return Map.of();
    }
  }

  static Map<?, ?> map(@Nullable Object json) {
    return json instanceof Map<?, ?> map ? map : Map.of();
  }

  static List<?> list(@Nullable Object json) {
    return json instanceof List<?> list ? list : List.of();
  }
}
