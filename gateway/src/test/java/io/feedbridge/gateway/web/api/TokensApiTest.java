package io.feedbridge.gateway.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.testing.TestGateway;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens as operators make, see and take them back. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokensApiTest {

  private static final String LIST = "/api/v1/tokens";

  private TestGateway gateway;

  @BeforeAll
  void start(@TempDir Path data) {
    gateway = TestGateway.on(data);
  }

  @AfterAll
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
    return json(gateway.json("POST", LIST, body), status);
  }

  private JsonNode add(String login, String rights) {
    return post("{\"login\":\"%s\",\"rights\":%s}".formatted(login, rights), 201);
  }

  @Test
  void the_token_is_shown_once_and_kept_nowhere_but_as_a_hash() {
    JsonNode made = add("reader", "[\"retrieve\",\"list\",\"list\"]");

    assertThat(made.fieldNames())
        .toIterable()
        .containsExactly("id", "login", "token", "rights", "createdAt");
    String token = made.get("token").asText();
    assertThat(token).hasSizeGreaterThanOrEqualTo(43);
    assertThat(made.get("rights").toString()).isEqualTo("[\"list\",\"retrieve\"]");
    assertThat(add("reader", "[\"list\"]").get("token").asText()).isNotEqualTo(token);
    HttpResponse<String> list = gateway.get(LIST + "?limit=500");
    assertThat(list.body()).doesNotContain(token);
    assertThat(json(list, 200).get("items").get(0).fieldNames())
        .toIterable()
        .containsExactly("id", "login", "rights", "createdAt");
    assertThat(gateway.rows().query("SELECT * FROM token").toString()).doesNotContain(token);
  }

  @Test
  void the_list_comes_in_parts_and_one_that_is_removed_is_gone() {
    String first = add("parts", "[\"save\"]").get("id").asText();
    String second = add("parts", "[\"save\"]").get("id").asText();

    JsonNode part = json(gateway.get(LIST + "?limit=1"), 200);
    assertThat(part.get("items")).hasSize(1);
    assertThat(
            json(gateway.get(LIST + "?cursor=" + part.get("nextCursor").asText()), 200)
                .get("items")
                .findValuesAsText("id"))
        .endsWith(first, second);
    json(gateway.get(LIST + "?cursor=bm9uc2Vuc2U"), 400);

    assertThat(gateway.send("DELETE", LIST + "/" + first).statusCode()).isEqualTo(204);
    json(gateway.send("DELETE", LIST + "/" + first), 404);
    json(gateway.send("DELETE", LIST + "/webhook-1"), 404);
    assertThat(json(gateway.get(LIST + "?limit=500"), 200).get("items").findValuesAsText("id"))
        .contains(second)
        .doesNotContain(first);
  }

  @Test
  void a_user_is_listed_and_removed_with_its_tokens() {
    add("leaver", "[\"list\"]");

    JsonNode user = null;
    for (JsonNode one : json(gateway.get("/api/v1/users?limit=500"), 200).get("items")) {
      user = one.get("login").asText().equals("leaver") ? one : user;
    }
    assertThat(user).isNotNull();
    assertThat(user.get("password").asBoolean()).isFalse();
    assertThat(user.get("tokens").asInt()).isOne();
    assertThat(gateway.send("DELETE", "/api/v1/users/leaver").statusCode()).isEqualTo(204);
    json(gateway.send("DELETE", "/api/v1/users/leaver"), 404);
    assertThat(gateway.rows().count("token WHERE login = 'leaver'")).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "login  | {}",
        "login  | {\"rights\":[\"list\"]}",
        "login  | {\"login\":5,\"rights\":[\"list\"]}",
        "login  | {\"login\":\"a:b\",\"rights\":[\"list\"]}",
        "login  | {\"login\":\"../x\",\"rights\":[\"list\"]}",
        "rights | {\"login\":\"bad\"}",
        "rights | {\"login\":\"bad\",\"rights\":[]}",
        "rights | {\"login\":\"bad\",\"rights\":\"list\"}",
        "rights | {\"login\":\"bad\",\"rights\":[null]}",
        "rights | {\"login\":\"bad\",\"rights\":[\"LIST\"]}",
        "rights | {\"login\":\"bad\",\"rights\":[\"list\",\"all\"]}",
        "colour | {\"login\":\"bad\",\"rights\":[\"list\"],\"colour\":\"red\"}"
      })
  void a_wrong_field_is_400_and_named_and_nothing_is_added(String field, String body) {
    JsonNode problem = post(body, 400);

    assertThat(problem.get("errors").get(0).get("field").asText()).isEqualTo(field);
    assertThat(problem.get("errors").get(0).get("detail").asText()).isNotBlank();
    assertThat(gateway.rows().count("token WHERE login = 'bad'")).isZero();
  }

  @Test
  void a_login_can_have_only_so_many_and_a_body_of_10_MB_is_413() {
    for (int i = 0; i < 32; i++) {
      add("many", "[\"list\"]");
    }
    assertThat(post("{\"login\":\"many\",\"rights\":[\"list\"]}", 409).get("detail").asText())
        .contains("32 tokens");
    assertThat(gateway.post(LIST, "application/json", new byte[10 * 1024 * 1024]).statusCode())
        .isEqualTo(413);
  }
}
