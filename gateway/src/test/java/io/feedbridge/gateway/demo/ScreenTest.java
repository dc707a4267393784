package io.feedbridge.gateway.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ScreenTest {

  private final StringWriter shown = new StringWriter();

  private Screen screen(boolean unicode, boolean colour) {
    return new Screen(new PrintWriter(shown), unicode, colour);
  }

  @Test
  void where_there_is_no_unicode_signs_are_spelt_in_ascii() {
    screen(false, false).print("a → b ← c ✓ ✗ “d”… é");

    assertThat(shown.toString().strip()).isEqualTo("a -> b <- c ok -- \"d\"... ?");
  }

  @Test
  void where_there_is_unicode_it_stays() {
    screen(true, false).print("a → “b” ✓");

    assertThat(shown.toString().strip()).isEqualTo("a → “b” ✓");
  }

  @Test
  void a_style_is_undone_behind_its_text() {
    assertThat(screen(true, true).styled(Screen.Style.GREEN, "x"))
        .isEqualTo("\u001b[32mx\u001b[0m");
  }

  @Test
  void where_there_is_no_colour_a_style_is_nothing() {
    assertThat(screen(true, false).styled(Screen.Style.GREEN, "x")).isEqualTo("x");
  }
}
