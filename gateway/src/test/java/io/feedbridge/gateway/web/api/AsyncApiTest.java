package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.asyncapi.v3._0_0.model.AsyncAPI;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class AsyncApiTest {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private static JsonNode openApi() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(AsyncApiTest.class.getResourceAsStream("openapi.json"))) {
      return JSON.readTree(in);
    }
  }

  private static JsonNode document() throws IOException {
    return AsyncApi.of(openApi());
  }

  @Test
  void the_model_of_AsyncAPI_3_reads_it() throws IOException {
    AsyncAPI read = JSON.treeToValue(document(), AsyncAPI.class);

    assertThat(read.getAsyncapi()).isEqualTo("3.0.0");
    assertThat(read.getInfo().getTitle()).isEqualTo("Feedbridge");
    assertThat(read.getChannels()).containsOnlyKeys("webhook", "stream", "firehose", "topic");
    assertThat(read.getOperations()).hasSize(4);
  }

  @Test
  void each_reference_leads_to_a_part_of_it() throws IOException {
    JsonNode document = document();

    Set<String> references = new TreeSet<>(document.findValuesAsText("$ref"));

    assertThat(references)
        .hasSizeGreaterThan(10)
        .allSatisfy(
            reference ->
                assertThat(document.at(reference.substring(1)).isMissingNode())
                    .as(reference)
                    .isFalse());
  }

  @Test
  void it_has_each_message_of_a_webhook_with_its_headers() throws IOException {
    JsonNode messages = document().at("/channels/webhook/messages");

    assertThat(messages.fieldNames())
        .toIterable()
        .hasSize(openApi().path("webhooks").size())
        .contains("feed.entries", "gateway.event", "endpoint.test");
    assertThat(document().at("/components/messages/feed.entries/headers/properties").fieldNames())
        .toIterable()
        .containsExactly("webhook-id", "webhook-timestamp", "webhook-signature");
  }

  /** Names of AsyncAPI's components: other signs are not permitted. */
  @Test
  void the_names_are_names_of_components() throws IOException {
    for (String kind : Set.of("messages", "schemas")) {
      assertThat(document().at("/components/" + kind).fieldNames())
          .toIterable()
          .isNotEmpty()
          .allMatch(name -> name.matches("[\\w.\\-]+"));
    }
  }
}
