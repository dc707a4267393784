package io.feedbridge.gateway.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaLibraryTest {

  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("kafka.properties"), text);
  }

  @Test
  void the_properties_of_the_file_are_those_of_the_client() throws IOException {
    assertThat(
            KafkaLibrary.check(Optional.of(file("security.protocol=SSL\ncompression.type=gzip\n"))))
        .containsEntry("security.protocol", "SSL")
        .containsEntry("compression.type", "gzip");
    assertThat(KafkaLibrary.check(Optional.empty())).isEmpty();
  }

  @Test
  void a_compression_without_its_library_is_refused_at_the_start() throws IOException {
    Path file = file("compression.type=zstd");
    assertThatThrownBy(() -> KafkaLibrary.check(Optional.of(file)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("compression.type is 'zstd'")
        .hasMessageContaining("none or gzip");
  }

  @Test
  void a_file_that_cannot_be_read_is_named() {
    assertThatThrownBy(() -> KafkaLibrary.check(Optional.of(folder.resolve("missing"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("--kafka-config")
        .hasMessageContaining("missing");
  }
}
