package io.feedbridge.websub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.feedbridge.websub.DocumentWishes.Kind;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The wishes of subscribers for their documents. */
class DocumentWishesTest {

  private static DocumentWishes of(String name, String value) throws BadHubRequestException {
    return DocumentWishes.parse(
        Optional.of(value).filter(any -> name.equals("every")),
        Optional.of(value).filter(any -> name.equals("only")),
        Optional.of(value).filter(any -> name.equals("fields")));
  }

  @ParameterizedTest
  @CsvSource({
    "10s,PT10S,10s",
    "60s,PT1M,1m",
    "15m,PT15M,15m",
    "90s,PT1M30S,90s",
    "24h,PT24H,24h",
    "120m,PT2H,2h"
  })
  void times_have_a_unit_and_are_written_as_they_are_read(
      String text, Duration meant, String written) throws Exception {
    assertThat(of("every", text).every()).isEqualTo(meant);
    assertThat(of("every", text).everyText()).isEqualTo(written);
  }

  @ParameterizedTest
  @ValueSource(strings = {"9s", "25h", "15", "-1m", "1d", "0m", "99999999h", "PT15M", "x"})
  void another_time_is_refused_with_the_bounds(String text) {
    assertThatThrownBy(() -> of("every", text))
        .isInstanceOf(BadHubRequestException.class)
        .hasMessageContainingAll("every", "10s to 24h", "15m");
  }

  @Test
  void kinds_are_named_with_commas_between_them() throws Exception {
    assertThat(of("only", "removed, new").only()).isEqualTo(Set.of(Kind.NEW, Kind.REMOVED));
    assertThat(of("only", "removed,new").onlyText()).isEqualTo("new,removed");
    assertThatThrownBy(() -> of("only", "new,old"))
        .hasMessageContainingAll("only", "old", "updated");
  }

  @Test
  void members_are_named_once_each() throws Exception {
    assertThat(of("fields", "title, permalinkUrl,title").fields())
        .containsExactly("title", "permalinkUrl");
    assertThatThrownBy(() -> of("fields", "title,,id")).hasMessageContaining("fields");
    assertThatThrownBy(() -> of("fields", "a\"b")).hasMessageContaining("fields");
    String many =
        IntStream.rangeClosed(0, DocumentWishes.MAX_FIELDS)
            .mapToObj(i -> "member" + i)
            .collect(Collectors.joining(","));
    assertThatThrownBy(() -> of("fields", many)).hasMessageContaining("more than 50");
  }

  private static HubRequest.Subscribe request(String... more) throws BadHubRequestException {
    Map<String, List<String>> form = new HashMap<>();
    form.put("hub.mode", List.of("subscribe"));
    form.put("hub.topic", List.of("http://p.example/"));
    form.put("hub.callback", List.of("http://s.example/"));
    for (int i = 0; i < more.length; i += 2) {
      form.put(more[i], List.of(more[i + 1]));
    }
    return (HubRequest.Subscribe) HubRequest.parse(form);
  }

  @Test
  void members_stand_for_JSON_and_for_no_other_format() throws Exception {
    assertThat(request("fields", "title").format()).contains(ContentFormat.JSON);
    assertThat(request("fields", "title", "format", "json").wishes().fields())
        .containsExactly("title");
    assertThatThrownBy(() -> request("fields", "title", "format", "atom"))
        .hasMessage("fields needs format=json");
  }

  @Test
  void bytes_have_no_kinds_of_entries() {
    assertThatThrownBy(() -> request("only", "new", "format", "raw"))
        .hasMessageContaining("another format than raw");
  }
}
