package io.feedbridge.gateway.bench;

import com.fasterxml.jackson.databind.JsonNode;

/** Checks that the sink has received the deliveries that were sent. */
final class Judgement {

  private Judgement() {}

  /**
   * Ends a run whose deliveries were not all there, once each and right.
   *
   * @param batch as the sink tells of it
   */
  static void check(JsonNode batch, int expected) throws BenchException {
    int received = batch.get("received").asInt();
    long doubled = batch.get("doubled").asLong();
    long wrong = batch.get("wrong").asLong();
    if (received < expected || doubled > 0 || wrong > 0) {
      throw new BenchException(
          "Of %,d deliveries %,d are missing, %,d came twice and %,d were wrong%s"
              .formatted(
                  expected,
                  expected - received,
                  doubled,
                  wrong,
                  wrong > 0 ? ": " + batch.get("complaint").asText() : ""));
    }
  }
}
