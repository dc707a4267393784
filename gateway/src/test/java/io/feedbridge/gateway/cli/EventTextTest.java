package io.feedbridge.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.feedbridge.gateway.cli.remote.JsonLine;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events as people see them. */
class EventTextTest {

  private static final Clock NOON =
      Clock.fixed(Instant.parse("2026-03-01T12:00:00Z"), ZoneOffset.UTC);

  private static String text(boolean colours, String json) throws JsonProcessingException {
    return new EventText(NOON, ZoneId.of("Europe/Berlin"), colours)
        .of(new ObjectMapper().readTree(json));
  }

  @Test
  void an_event_is_the_feed_and_each_entry_with_its_link() throws JsonProcessingException {
    String text =
        text(
            false,
            """
            {"eventId":"7","status":{"feed":"http://a.example/feed","lastFetch":1772361000},
             "items":[{"title":"One","permalinkUrl":"http://a.example/1"},{"summary":"no title"},{}],
             "title":"News"}
            """);
    assertThat(text.lines())
        .containsExactly(
            "2026-03-01 11:30:00  News  http://a.example/feed",
            "  One",
            "    http://a.example/1",
            "  no title",
            "  (without a title)");
  }

  @Test
  void without_a_time_it_is_now() throws JsonProcessingException {
    assertThat(text(false, "{\"status\":{\"feed\":\"x\",\"title\":\"T\"},\"items\":[{}]}"))
        .startsWith("2026-03-01 13:00:00  T  x");
  }

  @ParameterizedTest
  @CsvSource({
    "'\"code\":404,\"http\":\"Not Found\"', fails: Not Found",
    "'\"code\":410', is gone",
    "'\"http\":\"no address\"', fails: no address",
    "'\"code\":200', is back",
    "'\"code\":304', is back"
  })
  void a_document_without_entries_tells_the_state(String status, String state)
      throws JsonProcessingException {
    assertThat(text(false, "{\"status\":{\"feed\":\"x\"," + status + "},\"items\":[]}").lines())
        .last()
        .isEqualTo("  " + state);
  }

  @Test
  void a_gap_is_told() throws JsonProcessingException {
    assertThat(text(false, "{\"gap\":{\"after\":\"3\",\"upTo\":\"9\"}}"))
        .isEqualTo("the events after 3, up to 9, have left the log of the gateway");
  }

  @Test
  void nothing_of_a_feed_acts_on_the_terminal() throws JsonProcessingException {
    String evil = "\\u001b]0;owned\\u0007\\u009b2J\\u202e\\r\\n\\u0000";
    String json =
        """
        {"status":{"feed":"http://x/%1$s","title":"%1$s","http":"%1$s"},"title":"%1$s",
         "items":[{"title":"%1$s","permalinkUrl":"http://x/%1$s"},{"summary":"%1$s"},{"id":"%1$s"}]}
        """
            .formatted(evil);
    String text = text(false, json);
    assertThat(text.lines()).hasSize(5);
    assertThat(text.replace(System.lineSeparator(), ""))
        .matches("[^\\p{Cc}\\u202e]*")
        .contains("]0;owned");
    // With colours there are those of ours and no others.
    assertThat(text(true, json).replaceAll("\u001b\\[\\d*m", "")).isEqualTo(text);
  }

  @Test
  void colours_are_for_those_who_want_them() throws JsonProcessingException {
    String json = "{\"status\":{\"feed\":\"x\"},\"items\":[{\"permalinkUrl\":\"http://l/\"}]}";
    assertThat(text(true, json)).contains("\u001b[");
    assertThat(text(false, json)).doesNotContain("\u001b");
  }

  @Test
  void JSON_stays_the_same_JSON_without_what_terminals_obey() throws JsonProcessingException {
    String line = "{\"title\":\"a\u009b2J\u007f\u0085ü\uD83D\uDE00\"}";
    byte[] escaped = JsonLine.of(line.getBytes(StandardCharsets.UTF_8));
    String text = new String(escaped, StandardCharsets.UTF_8);
    assertThat(text).isEqualTo("{\"title\":\"a\\u009b2J\\u007f\\u0085ü\uD83D\uDE00\"}");
    ObjectMapper mapper = new ObjectMapper();
    assertThat(mapper.readTree(text)).isEqualTo(mapper.readTree(line));
  }
}
