package io.feedbridge.gateway.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.store.OutcomeBuilder;
import io.feedbridge.gateway.store.log.Event;
import io.feedbridge.gateway.work.Via;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CursorTest {

  private static final long HEAD_AT_START = 10;
  private static final Instant AT = Instant.parse("2026-03-01T00:00:00Z");

  private static Event event(long seq, long feed) {
    return new Event(
        seq,
        feed,
        AT,
        Via.PING,
        OutcomeBuilder.update(
            "https://blog.example/feed", List.of(OutcomeBuilder.entry("a", "b"))));
  }

  private static Cursor at(Event event) {
    return new Cursor(event.seq(), 3, Cursor.markOf(event));
  }

  @Test
  void a_publisher_goes_on_behind_an_event_that_the_log_has() {
    Event last = event(7, 1);

    assertThat(at(last).resumed(Optional.of(last), HEAD_AT_START)).isEqualTo(at(last));
  }

  @Test
  void a_publisher_goes_on_behind_events_that_another_process_appended_after_its_start() {
    Event last = event(HEAD_AT_START + 5, 1);

    assertThat(at(last).resumed(Optional.of(last), HEAD_AT_START)).isEqualTo(at(last));
  }

  @Test
  void a_publisher_goes_on_behind_an_event_that_has_left_the_log() {
    Event last = event(7, 1);

    assertThat(at(last).resumed(Optional.empty(), HEAD_AT_START)).isEqualTo(at(last));
  }

  @Test
  void events_behind_the_head_of_an_older_state_get_ids_of_a_new_run() {
    Cursor newer = at(event(HEAD_AT_START + 5, 1));

    assertThat(newer.resumed(Optional.empty(), HEAD_AT_START))
        .isEqualTo(new Cursor(HEAD_AT_START, 4, ""));
    assertThat(newer.resumed(Optional.of(event(newer.seq(), 2)), HEAD_AT_START))
        .as("another event has its number meanwhile")
        .isEqualTo(new Cursor(HEAD_AT_START, 4, ""));
  }

  @Test
  void a_log_with_other_events_under_the_same_numbers_is_published_anew() {
    Cursor known = at(event(7, 1));

    assertThat(known.resumed(Optional.of(event(7, 2)), HEAD_AT_START))
        .isEqualTo(new Cursor(0, 4, ""));
  }

  @Test
  void a_cursor_without_a_mark_is_believed_up_to_the_head() {
    Event any = event(7, 2);

    assertThat(new Cursor(7, 0, "").resumed(Optional.of(any), HEAD_AT_START))
        .isEqualTo(new Cursor(7, 0, ""));
    assertThat(new Cursor(HEAD_AT_START + 1, 0, "").resumed(Optional.empty(), HEAD_AT_START))
        .isEqualTo(new Cursor(HEAD_AT_START, 1, ""));
  }
}
