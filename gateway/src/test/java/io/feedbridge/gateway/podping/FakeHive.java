package io.feedbridge.gateway.podping;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.feedbridge.gateway.client.Call;
import io.feedbridge.gateway.client.Replies;
import io.feedbridge.gateway.client.Reply;
import io.feedbridge.gateway.client.Sender;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** A node of Hive with the blocks that a test gives it. */
final class FakeHive implements Sender {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final TreeMap<Long, ObjectNode> blocks = new TreeMap<>();
  private final TreeSet<String> accounts = new TreeSet<>(List.of("good"));
  private final List<String> calls = new ArrayList<>();
  private String answer = "";
  private int fork;

  /** A chain that ends at a block. */
  FakeHive(long head) {
    for (long number = head - 100; number <= head; number++) {
      add(number);
    }
  }

  private static String id(long number, int fork) {
    return "%08x%032x".formatted(number, fork);
  }

  synchronized void accounts(int count) {
    for (int i = 0; i < count; i++) {
      accounts.add("account%05d".formatted(i));
    }
  }

  private ObjectNode add(long number) {
    ObjectNode block = JSON.createObjectNode();
    block.put("block_id", id(number, fork));
    block.put("previous", id(number - 1, fork));
    block.putArray("transactions");
    blocks.put(number, block);
    return block;
  }

  /** One more block with a message in it. */
  synchronized void add(String account, String id, String json) {
    add(blocks.lastKey() + 1);
    beside(account, id, json);
  }

  /** One more message in the newest block. */
  synchronized void beside(String account, String id, String json) {
    ObjectNode operation = JSON.createObjectNode().put("type", "custom_json_operation");
    ObjectNode value = operation.putObject("value").put("id", id).put("json", json);
    value.putArray("required_auths");
    value.putArray("required_posting_auths").add(account);
    ArrayNode transactions = (ArrayNode) blocks.lastEntry().getValue().get("transactions");
    transactions.addObject().putArray("operations").add(operation);
  }

  /** Blocks without messages. */
  synchronized void add(int count) {
    for (int i = 0; i < count; i++) {
      add(blocks.lastKey() + 1);
    }
  }

  /** The chain has other blocks from one on. */
  synchronized void forkFrom(long number) {
    fork++;
    blocks
        .tailMap(number)
        .forEach(
            (at, block) -> {
              block.put("block_id", id(at, fork));
              block.put("previous", id(at - 1, at == number ? fork - 1 : fork));
            });
  }

  /** Answers this to each call; empty for the usual. */
  synchronized void answer(String text) {
    answer = text;
  }

  synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  synchronized long head() {
    return blocks.lastKey();
  }

  @Override
  public synchronized CompletableFuture<Reply> send(Call call) {
    try {
      JsonNode request = JSON.readTree(call.body());
      calls.add(request.get("method").asText().replaceFirst(".*\\.", ""));
      ObjectNode reply = JSON.createObjectNode();
      reply.set("result", result(request));
      String body = answer.isEmpty() ? reply.toString() : answer;
      return CompletableFuture.completedFuture(
          Replies.of(200, call.url(), Map.of(), body.getBytes(UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode result(JsonNode request) {
    JsonNode parameters = request.get("params");
    return switch (request.get("method").asText()) {
      case "condenser_api.get_dynamic_global_properties" ->
          JSON.createObjectNode().put("head_block_number", blocks.lastKey());
      case "condenser_api.get_following" -> {
        ArrayNode page = JSON.createArrayNode();
        accounts.tailSet(parameters.get(1).asText()).stream()
            .limit(parameters.get(3).asInt())
            .forEach(name -> page.addObject().put("following", name));
        yield page;
      }
      default -> {
        ObjectNode range = JSON.createObjectNode();
        ArrayNode page = range.putArray("blocks");
        long from = parameters.get("starting_block_num").asLong();
        blocks.tailMap(from).values().stream()
            .limit(parameters.get("count").asInt())
            .forEach(page::add);
        yield range;
      }
    };
  }
}
