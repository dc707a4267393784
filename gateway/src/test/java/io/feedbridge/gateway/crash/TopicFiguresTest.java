package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.crash.Fact.Kept;
import io.feedbridge.gateway.crash.Fact.Logged;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the topic in Kafka owes the log, kept and broken. */
class TopicFiguresTest {

  private static final Logged FIRST = new Logged(1, "http://origin/a.xml", "publish");
  private static final Logged OTHER = new Logged(2, "http://origin/b.xml", "poll");
  private static final Logged LAST = new Logged(4, "http://origin/a.xml", "publish");

  private final List<String> broken = new ArrayList<>();

  private static Kept kept(Logged event) {
    return kept(event, "log-" + event.seq());
  }

  private static Kept kept(Logged event, String id) {
    return new Kept(event, id, "0@" + event.seq());
  }

  private TopicFigures figures(Kept... topic) {
    return TopicFigures.of(
        new Fact.TopicRead(List.of(FIRST, OTHER, LAST), List.of(topic)), broken::add);
  }

  @Test
  void feeds_may_pass_each_other_and_numbers_that_the_log_skips_are_owed_by_nothing() {
    assertThat(figures(kept(FIRST), kept(LAST), kept(OTHER)))
        .isEqualTo(new TopicFigures(3, 1, 0, 0, 0, 0));
    assertThat(broken).isEmpty();
  }

  @Test
  void an_event_is_missing() {
    assertThat(figures(kept(FIRST), kept(LAST)).missing()).isEqualTo(1);
    assertThat(broken).hasSize(1);
  }

  @Test
  void an_event_stands_twice_under_one_id_or_two() {
    assertThat(
            figures(kept(FIRST), kept(FIRST), kept(FIRST, "log-1-1"), kept(OTHER), kept(LAST))
                .doubled())
        .isEqualTo(2);
  }

  @Test
  void an_id_stands_twice() {
    assertThat(figures(kept(FIRST), kept(OTHER, "log-1"), kept(LAST)).doubled()).isEqualTo(1);
  }

  @Test
  void a_feed_goes_back() {
    assertThat(figures(kept(LAST), kept(OTHER), kept(FIRST)).disordered()).isEqualTo(1);
    assertThat(broken).hasSize(1);
  }

  @Test
  void an_event_is_of_another_feed_or_in_no_log() {
    Logged elsewhere = new Logged(2, FIRST.feed(), OTHER.via());
    Logged nowhere = new Logged(3, FIRST.feed(), FIRST.via());
    assertThat(figures(kept(FIRST), kept(elsewhere), kept(nowhere), kept(LAST)).wrong())
        .isEqualTo(2);
  }

  @Test
  void ids_have_two_beginnings() {
    figures(kept(FIRST), kept(OTHER), kept(LAST, "log-1-4"));
    assertThat(broken).hasSize(1);
  }
}
