package io.feedbridge.gateway.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlainTextTest {

  @ParameterizedTest
  @ValueSource(
      ints = {
        0x00, 0x07, 0x08, 0x1B, 0x7F, 0x80, 0x85, 0x9B, 0x9D, 0x202E, 0x2066, 0xFEFF, 0xE0041
      })
  void what_a_terminal_may_obey_is_replaced(int c) {
    String text = "a" + Character.toString(c) + "[2Jb";
    assertThat(PlainText.of(text)).isEqualTo("a\uFFFD[2Jb");
  }

  @Test
  void half_a_character_is_replaced() {
    assertThat(PlainText.of("a\uD83Db")).isEqualTo("a\uFFFDb");
  }

  @ParameterizedTest
  @CsvSource({"'a\r\nb', a b", "'a\u2028b', a b", "'  a \t b ', a b", "'\n', ''"})
  void it_is_one_line(String text, String line) {
    assertThat(PlainText.of(text)).isEqualTo(line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Überschrift", "日本語", "\uD83D\uDC68\u200D\uD83D\uDC69", "שלום", "می\u200Cخواهم"})
  void what_people_write_stays(String text) {
    assertThat(PlainText.of(text)).isEqualTo(text);
  }

  @Test
  void what_is_too_long_is_cut() {
    assertThat(PlainText.of("abcdef", 3)).isEqualTo("abc…");
    assertThat(PlainText.of("abc  ", 3)).isEqualTo("abc");
    assertThat(PlainText.of("x".repeat(10_000_000))).hasSize(PlainText.MAX + 1);
  }
}
