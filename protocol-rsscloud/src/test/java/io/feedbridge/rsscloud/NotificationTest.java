package io.feedbridge.rsscloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NotificationTest {

  private final Notification notification =
      new Notification("https://reader.example/?rsscloud=notify", "http://ü.example/?a=b&c+d");

  @Test
  void its_form_has_the_feed_as_its_single_parameter_url() {
    assertThat(notification.contentType()).isEqualTo("application/x-www-form-urlencoded");
    assertThat(notification.body()).isEqualTo("url=http%3A%2F%2F%C3%BC.example%2F%3Fa%3Db%26c%2Bd");
    assertThat(Forms.decode(notification.body()))
        .isEqualTo(Map.of("url", List.of("http://ü.example/?a=b&c+d")));
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 202, 204, 299})
  void any_2xx_is_good(int status) {
    assertThat(notification.acceptedBy(status)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {101, 301, 400, 404, 503})
  void any_other_status_is_an_error(int status) {
    assertThat(notification.acceptedBy(status)).isFalse();
  }
}
