package io.feedbridge.gateway.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgramTest {

  @ParameterizedTest
  @CsvSource({
    "https://example.org/feed/, https://wordpress.org/?v=6.4.2, WORDPRESS",
    "https://blog.example.org/feeds/posts/default, Blogger, BLOGGER",
    "https://medium.com/feed/author, Medium, MEDIUM",
    "https://www.youtube.com/feeds/videos.xml?channel_id=UC1, , YOUTUBE",
    "https://www.youtube.com/feeds/other.xml, , ",
    "https://example.org/www.youtube.com/feeds/videos.xml, , ",
    "https://example.org/feed, Movable Type, "
  })
  void a_program_is_recognised_by_its_generator_or_its_URL(
      String url, @Nullable String generator, @Nullable Program program) {
    assertThat(Program.of(url, generator).orElse(null)).isEqualTo(program);
  }
}
