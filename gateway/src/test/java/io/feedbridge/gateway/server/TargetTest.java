package io.feedbridge.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.server.message.BadRequestException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTest {
  @ParameterizedTest
  @CsvSource({
    "/, /",
    "/a/b, /a/b",
    "/a/, /a/",
    "/%61%2E%C3%A9, /a.é",
    "/./a/./b/., /a/b/",
    "/a+b, /a+b",
    "//a, //a",
    "/?x=1, /",
    "http://h, /",
    "HTTPS://h:80/a?x=1, /a",
    "http://h?x=1, /",
    "*, *",
  })
  void a_path_is_decoded_and_normalised(String target, String path) {
    assertThat(Target.parse(target).path()).isEqualTo(path);
  }

  @Test
  void an_encoded_slash_does_not_separate() {
    assertThat(Target.parse("/a%2Fb/c").segments()).containsExactly("a/b", "c");
  }

  @Test
  void the_query_is_kept_as_sent_and_decoded() {
    Target target = Target.parse("/a?url=http%3A%2F%2Fb%2F&x?y");
    assertThat(target.rawQuery()).isEqualTo("url=http%3A%2F%2Fb%2F&x?y");
    assertThat(target.query()).isEqualTo(Map.of("url", List.of("http://b/"), "x?y", List.of("")));
  }

  @Test
  void the_absolute_form_names_its_authority() {
    assertThat(Target.parse("http://[::1]:5337/a").authority()).contains("[::1]:5337");
    assertThat(Target.parse("/a").authority()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a:80",
        "ftp://h/a",
        "http:///a",
        "http://user@h/",
        "/..",
        "/a/../b",
        "/a/%2e%2E/b",
        "/a/..",
        "/a%00",
        "/a%0d%0aX:",
        "/a\u0000",
        "/a\u0001",
        "/a\u00e9",
        "/a b",
        "/a#b",
        "/%",
        "/%f",
        "/%ff",
        "/?%",
        "/?a=%c3"
      })
  void anything_else_is_refused(String target) {
    assertThatThrownBy(() -> Target.parse(target)).isInstanceOf(BadRequestException.class);
  }
}
