package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.TestGateway;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Publishers as operators add, see and remove them. */
class PublishersApiTest {

  private static final String LIST = "/api/v1/publishers";
  private static final String TOPIC = "https://news.example/feed";

  private TestGateway gateway;

  @BeforeEach
  void start(@TempDir Path data) {
    gateway = TestGateway.on(data);
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  private static JsonNode json(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue(status < 400 ? "application/json" : "application/problem+json");
    try {
      return new ObjectMapper().readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private JsonNode post(String body, int status) {
    return json(
        gateway.post(LIST, "application/json", body.getBytes(StandardCharsets.UTF_8)), status);
  }

  private JsonNode add(String topic) {
    return post("{\"topic\":\"" + topic + "\"}", 201);
  }

  @Test
  void the_secret_is_shown_once() {
    JsonNode made = add(TOPIC);

    assertThat(made.fieldNames())
        .toIterable()
        .containsExactly("id", "topic", "secret", "createdAt");
    assertThat(made.get("secret").asText()).hasSizeGreaterThan(40);
    assertThat(add(TOPIC).get("secret")).isNotEqualTo(made.get("secret"));
    HttpResponse<String> list = gateway.get(LIST);
    assertThat(list.body()).doesNotContain(made.get("secret").asText());
    assertThat(json(list, 200).get("items")).hasSize(2);
    assertThat(json(list, 200).get("items").get(0).fieldNames())
        .toIterable()
        .containsExactly("id", "topic", "createdAt");
  }

  @Test
  void the_topic_is_normalised_and_a_secret_may_be_given() {
    JsonNode made =
        post(
            "{\"topic\":\"HTTPS://News.example:443/feed\",\"secret\":\"sixteen bytes it is\"}",
            201);

    assertThat(made.get("topic").asText()).isEqualTo(TOPIC);
    assertThat(made.get("secret").asText()).isEqualTo("sixteen bytes it is");
  }

  @Test
  void the_list_comes_in_parts() {
    String first = add(TOPIC).get("id").asText();
    String second = add(TOPIC).get("id").asText();

    JsonNode part = json(gateway.get(LIST + "?limit=1"), 200);
    JsonNode rest = json(gateway.get(LIST + "?cursor=" + part.get("nextCursor").asText()), 200);

    assertThat(part.get("items").get(0).get("id").asText()).isEqualTo(first);
    assertThat(rest.get("items").get(0).get("id").asText()).isEqualTo(second);
    assertThat(rest.get("nextCursor").isNull()).isTrue();
    json(gateway.get(LIST + "?cursor=bm9uc2Vuc2U"), 400);
  }

  @Test
  void one_that_is_removed_is_gone() {
    String id = add(TOPIC).get("id").asText();

    assertThat(gateway.send("DELETE", LIST + "/" + id).statusCode()).isEqualTo(204);
    json(gateway.send("DELETE", LIST + "/" + id), 404);
    json(gateway.send("DELETE", LIST + "/pending-1"), 404);
    assertThat(json(gateway.get(LIST), 200).get("items")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "topic  | {}",
        "topic  | {\"topic\":null}",
        "topic  | {\"topic\":5}",
        "topic  | {\"topic\":[\"https://news.example/\"]}",
        "topic  | {\"topic\":\"news\"}",
        "topic  | {\"topic\":\"ftp://news.example/\"}",
        "secret | {\"topic\":\"https://news.example/\",\"secret\":\"too short\"}",
        "secret | {\"topic\":\"https://news.example/\",\"secret\":true}",
        "colour | {\"topic\":\"https://news.example/\",\"colour\":\"red\"}"
      })
  void a_wrong_field_is_400_and_named_and_nothing_is_added(String field, String body) {
    JsonNode problem = post(body, 400);

    assertThat(problem.get("errors").get(0).get("field").asText()).isEqualTo(field);
    assertThat(problem.get("errors").get(0).get("detail").asText()).isNotBlank();
    assertThat(json(gateway.get(LIST), 200).get("items")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``",
        "null",
        "[]",
        "{",
        "{} {}",
        "\"text\"",
        "{\"topic\":1,\"topic\":2}",
        "<feed/>"
      })
  void what_is_no_JSON_object_is_400(String body) {
    assertThat(post(body, 400).get("detail").asText()).isNotBlank();
  }

  @Test
  void a_body_of_10_MB_is_413() {
    byte[] body = new byte[10 * 1024 * 1024];

    assertThat(gateway.post(LIST, "application/json", body).statusCode()).isEqualTo(413);
  }
}
