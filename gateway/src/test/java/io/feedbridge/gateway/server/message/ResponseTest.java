package io.feedbridge.gateway.server.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseTest {
  @ParameterizedTest
  @ValueSource(strings = {"a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\u0000"})
  void a_header_value_cannot_begin_another_line(String value) {
    assertThatThrownBy(() -> Response.noContent().withHeader("Location", value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Location");
    assertThatThrownBy(() -> Response.of(200, value, new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a:", "a\r\n"})
  void a_header_name_is_a_token(String name) {
    assertThatThrownBy(() -> Response.noContent().withHeader(name, "value"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_header_replaces_or_joins_those_of_its_name() {
    Response response =
        Response.text(200, "body").plusHeader("Link", "<a>").plusHeader("link", "<b>");
    assertThat(response.headers().all("LINK")).containsExactly("<a>", "<b>");
    assertThat(response.withHeader("link", "<c>").headers().all("Link")).containsExactly("<c>");
    assertThat(response.headers().all("Link")).as("the first is unchanged").hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({"100", "199", "600", "0"})
  void only_final_statuses_are_taken(int status) {
    assertThatThrownBy(() -> Response.text(status, "")).hasMessageContaining("no final status");
  }

  @ParameterizedTest
  @CsvSource({"204", "304"})
  void a_status_without_content_has_none(int status) {
    assertThatThrownBy(() -> Response.text(status, "x")).hasMessageContaining("has no body");
  }

  @Test
  void neither_a_request_nor_a_response_prints_what_may_be_secret() {
    assertThat(Response.text(200, "secret").withHeader("X-Token", "secret").toString())
        .doesNotContain("secret");
    assertThat(Headers.of("Authorization", "secret").toString()).doesNotContain("secret");
  }
}
