package io.feedbridge.gateway.server.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParametersTest {
  private static Request post(String body) {
    return new Request(
        "POST",
        "/",
        "",
        Map.of(),
        Headers.of("Content-Type", "application/x-www-form-urlencoded"),
        body.getBytes(StandardCharsets.UTF_8),
        InetSocketAddress.createUnresolved("peer", 1),
        Map.of());
  }

  @Test
  void values_of_one_name_keep_their_order() {
    assertThat(Parameters.parse("b=1&a=2&b=3"))
        .containsExactly(Map.entry("b", List.of("1", "3")), Map.entry("a", List.of("2")));
  }

  @Test
  void a_name_without_a_value_has_the_empty_one_and_empty_pairs_are_skipped() {
    assertThat(Parameters.parse("&a&&b=&=c&"))
        .isEqualTo(Map.of("a", List.of(""), "b", List.of(""), "", List.of("c")));
  }

  @Test
  void only_the_first_equals_sign_separates() {
    assertThat(Parameters.parse("url=http://a/?b=c"))
        .containsEntry("url", List.of("http://a/?b=c"));
  }

  @Test
  void plus_is_a_space_and_escapes_are_utf_8() {
    assertThat(Parameters.parse("a=1+2%2B3&%C3%A9=%e2%82%ac"))
        .isEqualTo(Map.of("a", List.of("1 2+3"), "é", List.of("€")));
  }

  @Test
  void a_plus_in_a_path_is_a_plus() {
    assertThat(Parameters.decode("a+b%20c", false)).isEqualTo("a+b c");
  }

  @Test
  void raw_utf_8_in_a_form_is_read() {
    assertThat(post("name=é€").form()).containsEntry("name", List.of("é€"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a=%", "a=%4", "a=%zz", "%=1", "a=%٣٤", "a=%-1"})
  void an_escape_of_other_than_two_hexadecimal_digits_is_refused(String form) {
    assertThatThrownBy(() -> Parameters.parse(form))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("hexadecimal");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a=%FF", "a=%C3", "a=%C0%80", "a=%ED%A0%80"})
  void bytes_that_are_not_utf_8_are_refused(String form) {
    assertThatThrownBy(() -> Parameters.parse(form))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("UTF-8");
  }

  @Test
  void the_number_of_parameters_is_bounded() {
    String most = "a=1&".repeat(Parameters.MAX_PARAMETERS);
    assertThat(post(most).form().get("a")).hasSize(Parameters.MAX_PARAMETERS);
    assertThatThrownBy(() -> post(most + "a=1").form())
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("1024 parameters");
  }

  @Test
  void what_is_parsed_cannot_be_changed() {
    assertThatThrownBy(() -> Parameters.parse("a=1").put("b", List.of()))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
