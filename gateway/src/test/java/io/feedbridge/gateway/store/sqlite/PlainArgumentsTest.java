package io.feedbridge.gateway.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlainArgumentsTest {

  @TempDir Path folder;

  private String typeOf(@Nullable Object value, Class<?> type) {
    try (Handle handle = Connections.jdbi(Connections.writing(folder.resolve("plain.db"))).open()) {
      return handle
          .createQuery("SELECT typeof(:value) || ' ' || quote(:value)")
          .bindByType("value", value, type)
          .mapTo(String.class)
          .one();
    }
  }

  @Test
  void a_value_is_stored_as_what_it_is() {
    assertThat(typeOf(Long.MAX_VALUE, long.class)).isEqualTo("integer 9223372036854775807");
    assertThat(typeOf(Long.MIN_VALUE, Long.class)).isEqualTo("integer -9223372036854775808");
    assertThat(typeOf(-7, int.class)).isEqualTo("integer -7");
    assertThat(typeOf(7, Integer.class)).isEqualTo("integer 7");
    assertThat(typeOf(true, boolean.class)).isEqualTo("integer 1");
    assertThat(typeOf(false, Boolean.class)).isEqualTo("integer 0");
    assertThat(typeOf("7", String.class)).isEqualTo("text '7'");
    assertThat(typeOf(new byte[] {1, 2}, byte[].class)).isEqualTo("blob X'0102'");
  }

  @Test
  void none_is_null() {
    assertThat(
            Stream.of(Long.class, Integer.class, Boolean.class, String.class, byte[].class)
                .map(type -> typeOf(null, type)))
        .containsOnly("null NULL");
  }

  @Test
  void what_is_not_plain_is_known_all_the_same() {
    assertThat(typeOf(1.5, double.class)).isEqualTo("real 1.5");
  }
}
