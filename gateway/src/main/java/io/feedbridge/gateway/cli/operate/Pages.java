package io.feedbridge.gateway.cli.operate;

import com.fasterxml.jackson.databind.JsonNode;
import io.feedbridge.gateway.cli.remote.GatewayClient;
import io.feedbridge.gateway.cli.remote.GatewayException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The parts of a list of the API. */
final class Pages {

  /** The most objects of one part, as the API has it. */
  private static final int LIMIT = 500;

  private Pages() {}

  /**
   * Reads a list.
   *
   * @param most the most objects that are read
   * @param query alternating names and values
   * @return one object more than {@code most} where there are more
   */
  static List<JsonNode> read(GatewayClient client, String path, int most, List<String> query)
      throws GatewayException {
    List<JsonNode> items = new ArrayList<>();
    String cursor = "";
    do {
      int limit = Math.min(LIMIT, most + 1 - items.size());
      List<String> page = new ArrayList<>(query);
      page.addAll(List.of("limit", Integer.toString(limit)));
      if (!cursor.isEmpty()) {
        page.addAll(List.of("cursor", cursor));
      }
      JsonNode list = client.json(client.get(path, page.toArray(String[]::new)));
      JsonNode part = list.path("items");
      if (!part.isArray()) {
        throw client.noGateway("its answer is not a list");
      }
      part.forEach(items::add);
      cursor = list.path("nextCursor").asText("");
    } while (!cursor.isEmpty() && !cursor.equals("null") && items.size() <= most);
    return items;
  }

  /** A query of the parameters that have a value. */
  static List<String> query(String... namesAndValues) {
    return Stream.iterate(0, i -> i < namesAndValues.length, i -> i + 2)
        .filter(i -> !namesAndValues[i + 1].isEmpty())
        .flatMap(i -> Stream.of(namesAndValues[i], namesAndValues[i + 1]))
        .toList();
  }
}
