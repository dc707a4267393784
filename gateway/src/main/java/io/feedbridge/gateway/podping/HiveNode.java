package io.feedbridge.gateway.podping;

import static io.feedbridge.gateway.podping.HiveBlock.list;
import static io.feedbridge.gateway.podping.HiveBlock.map;

import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.address.Purpose;
import io.feedbridge.gateway.store.Json;
import io.feedbridge.gateway.store.StoreException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The calls of a Hive node's JSON-RPC that pings need, and the reading of their answers. */
final class HiveNode {

  /** The account whose list of followed accounts is the list of accounts that may ping. */
  static final String AUTHORITY = "podping";

  /** Accounts in one answer. */
  static final int ACCOUNTS = 100;

  /** Bytes of an answer. */
  static final int MAX_ANSWER = 16 << 20;

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final String url;

  HiveNode(URI url) {
    this.url = url.toString();
  }

  Call head() {
    return call("condenser_api.get_dynamic_global_properties", List.of());
  }

  Call blocks(long from, int count) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    parameters.put("starting_block_num", from);
    parameters.put("count", count);
    return call("block_api.get_block_range", parameters);
  }

  /**
   * The accounts that may ping.
   *
   * @param from the name at which to begin
   */
  Call accounts(String from) {
    return call("condenser_api.get_following", List.of(AUTHORITY, from, "blog", ACCOUNTS));
  }

  private Call call(String method, Object parameters) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("jsonrpc", "2.0");
    body.put("method", method);
    body.put("params", parameters);
    body.put("id", 1);
    return Call.post(url, Purpose.FETCH, Json.bytes(body))
        .header("Content-Type", "application/json")
        .acceptCompressed()
        .refuseBodyOver(MAX_ANSWER)
        .timeout(TIMEOUT)
        .build();
  }

  private static Object result(Reply reply) throws BadHiveAnswerException {
    if (!reply.successful()) {
      throw new BadHiveAnswerException("it answered with status " + reply.status());
    }
    Map<?, ?> answer;
    try {
      answer = map(Json.read(reply.body(), Object.class));
    } catch (StoreException e) {
      throw new BadHiveAnswerException("its answer is no JSON");
    }
    Object result = answer.get("result");
    if (result == null) {
      Object message = map(answer.get("error")).get("message");
      throw new BadHiveAnswerException("it answered: " + message);
    }
    return result;
  }

  /** The number of the newest block. */
  static long head(Reply reply) throws BadHiveAnswerException {
    if (map(result(reply)).get("head_block_number") instanceof Number head
        && head.longValue() > 0) {
      return head.longValue();
    }
    throw new BadHiveAnswerException("its answer has no head_block_number");
  }

  /** Blocks, each behind the one before. */
  static List<HiveBlock> blocks(Reply reply) throws BadHiveAnswerException {
    List<HiveBlock> blocks = new ArrayList<>();
    for (Object block : list(map(result(reply)).get("blocks"))) {
      blocks.add(HiveBlock.of(block));
    }
    return blocks;
  }

  static List<String> accounts(Reply reply) throws BadHiveAnswerException {
    return list(result(reply)).stream()
        .flatMap(
            one -> map(one).get("following") instanceof String name ? Stream.of(name) : Stream.of())
        .toList();
  }
}
