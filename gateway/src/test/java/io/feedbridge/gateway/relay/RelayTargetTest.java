package io.feedbridge.gateway.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.gateway.guard.RelayTarget;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of {@code --relay}. */
class RelayTargetTest {

  @Test
  void rules_of_one_target_are_one() {
    List<RelayTarget> targets =
        RelayTarget.of(
            List.of(
                "*.example.org=hub:https://hub.example/",
                "*=get:https://ping.example/?u={url}",
                "https://blog.example/feeds/=hub:https://hub.example/"));
    assertThat(targets).hasSize(2);
    assertThat(targets.get(0).protocol()).isEqualTo(RelayTarget.Protocol.HUB);
    assertThat(targets.get(0).host()).isEqualTo("hub.example");
    assertThat(targets.get(0).feeds().permits("https://a.example.org/feed")).isTrue();
    assertThat(targets.get(0).feeds().permits("https://blog.example/feeds/1")).isTrue();
    assertThat(targets.get(0).feeds().permits("https://blog.example/other")).isFalse();
    assertThat(targets.get(1).feeds().permits("https://blog.example/other")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hub:https://hub.example/",
        "*=hub",
        "*=smtp:https://hub.example/",
        "*=hub:ftp://hub.example/",
        "*=hub:https://hub.example/?u={url}",
        "*=get:https://ping.example/",
        "a b=hub:https://hub.example/",
      })
  void a_rule_that_is_none_is_named(String rule) {
    assertThatThrownBy(() -> RelayTarget.of(List.of(rule)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + rule + "' is not PATTERN=PROTOCOL:URL");
  }
}
