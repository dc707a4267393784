package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.crash.Fact.Fault;
import io.feedbridge.gateway.crash.Fact.Wish;
import io.feedbridge.gateway.crash.Follower.Kind;
import io.feedbridge.gateway.crash.Follower.Temper;
import io.feedbridge.gateway.crash.Snapshot.FeedRow;
import io.feedbridge.gateway.crash.Snapshot.Lag;
import io.feedbridge.gateway.crash.Snapshot.Subscribed;
import io.feedbridge.websub.SignatureMethod;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each rule, kept and broken, in a journal that is written by hand. */
class JudgeTest {

  private static final SinkHost.Place HOST = new SinkHost.Place("127.0.0.2", 1);
  private static final Topic TOPIC = new Topic("a", Topic.Way.HUB_PING, "http://origin/a.xml");
  private static final Topic OTHER = new Topic("b", Topic.Way.HUB_PING, "http://origin/b.xml");

  private final Journal journal = new Journal();
  private final Follower atom = follower("atom", TOPIC, Kind.ATOM, SignatureMethod.SHA256);
  private final Follower other = follower("other", TOPIC, Kind.ATOM, null);
  private final Follower light = follower("light", TOPIC, Kind.LIGHT, null);
  private int life;

  private static Follower follower(
      String path, Topic topic, Kind kind, @Nullable SignatureMethod method) {
    return new Follower(path, topic, kind, Temper.WELL, HOST, method);
  }

  private void subscribe(Follower... followers) {
    for (Follower follower : followers) {
      renew(follower, 0);
    }
  }

  private void renew(Follower follower, int secret) {
    journal.add(new Fact.Wanted(follower, Wish.SUBSCRIBE, secret));
    journal.add(new Fact.Confirmed(follower, Wish.SUBSCRIBE));
    journal.add(new Fact.Applied(follower, secret));
  }

  private void publish(Topic topic, int entry) {
    journal.add(new Fact.Put(topic, entry));
    journal.add(new Fact.Promised(topic, entry));
  }

  private void take(Follower follower, long event, Integer... entries) {
    arrive(follower, event, 0, 204, entries);
  }

  private void arrive(Follower follower, long event, int secret, int status, Integer... entries) {
    int signed = follower.method() == null ? -1 : secret;
    journal.add(new Fact.Arrived(follower, event, List.of(entries), signed, null));
    journal.add(new Fact.Answered(follower, event, status));
  }

  private void restart(Snapshot left) {
    journal.add(new Fact.Ended(life, Kill.RANDOM, left));
    journal.add(new Fact.Launched(++life));
  }

  private Subscribed row(Follower follower, long id, @Nullable Lag lag) {
    long now = journal.add(new Fact.Gone(follower("clock", TOPIC, Kind.ATOM, null))).millis();
    return new Subscribed(
        id, TOPIC.url(), HOST.url(), "terms", now + follower.lease().toMillis(), lag);
  }

  private static Snapshot left(Map<String, Subscribed> subscriptions, long checkpoint) {
    FeedRow feed = new FeedRow(false, checkpoint, 0, 0);
    return new Snapshot(true, subscriptions, Map.of(TOPIC.url(), feed), List.of());
  }

  private List<Rule> broken() {
    return Judge.judge(journal.lines()).faults().stream().map(Fault::rule).distinct().toList();
  }

  @Test
  void L12_raw_bytes_are_owed_as_they_are_at_last() {
    Follower raw = follower("raw", TOPIC, Kind.RAW, null);
    subscribe(raw);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    take(raw, 2, 2);
    assertThat(broken()).isEmpty();

    publish(TOPIC, 3);
    assertThat(broken()).containsExactly(Rule.LOST);
  }

  @Test
  void all_is_well_when_everybody_got_everything_in_order() {
    subscribe(atom, light);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    publish(TOPIC, 3);
    take(atom, 1, 1);
    take(atom, 3, 3, 2);
    take(light, 3);

    Report report = Judge.judge(journal.lines());

    assertThat(report.faults()).isEmpty();
    assertThat(report.pairs()).isEqualTo(6);
  }

  private static Snapshot left(Follower webhook, long cursor, long sentTo) {
    Lag position = new Lag(cursor, sentTo, 0, 1, false);
    return new Snapshot(
        true,
        Map.of(),
        Map.of(),
        List.of(),
        Map.of(webhook.callback(), new Snapshot.Endpoint(true, position)));
  }

  @Test
  void L8_a_webhook_may_get_again_what_lies_behind_its_cursor_once_in_a_life() {
    Follower webhook = follower("webhook", TOPIC, Kind.WEBHOOK, null);
    subscribe(webhook);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    publish(TOPIC, 3);
    take(webhook, 1, 1);
    take(webhook, 2, 2);
    take(webhook, 3, 3);
    restart(left(webhook, 1, 0));
    take(webhook, 3, 3, 2);
    assertThat(broken()).isEmpty();

    take(webhook, 3, 3, 2);
    assertThat(broken()).containsExactly(Rule.DUPLICATES);
  }

  @Test
  void L8_a_webhook_gets_nothing_again_from_before_its_cursor() {
    Follower webhook = follower("webhook", TOPIC, Kind.WEBHOOK, null);
    subscribe(webhook);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    take(webhook, 1, 1);
    take(webhook, 2, 2);
    restart(left(webhook, 2, 0));
    take(webhook, 1, 1);

    assertThat(broken()).contains(Rule.ORDER);
  }

  @Test
  void L12_a_webhook_that_refused_a_document_gets_the_same_over_a_restart() {
    Follower webhook = follower("webhook", TOPIC, Kind.WEBHOOK, null);
    subscribe(webhook);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    arrive(webhook, 1, 0, 500, 1);
    restart(left(webhook, 0, 1));
    take(webhook, 1, 1);
    take(webhook, 2, 2);
    assertThat(broken()).isEmpty();

    restart(left(webhook, 0, 1));
    take(webhook, 2, 2, 1);
    assertThat(broken()).containsExactly(Rule.RETRY);
  }

  @Test
  void a_webhook_that_misses_an_entry_or_is_not_active_any_more_was_broken() {
    Follower webhook = follower("webhook", TOPIC, Kind.WEBHOOK, null);
    subscribe(webhook);
    publish(TOPIC, 1);
    restart(left(webhook, 0, 0));
    restart(left(Map.of(), -1));

    assertThat(broken()).containsExactlyInAnyOrder(Rule.LOST, Rule.LEASE);
  }

  @Test
  void L16_an_answer_to_a_request_of_the_life_before_takes_nothing_from_this_one() {
    subscribe(atom);
    publish(TOPIC, 1);
    Snapshot open = left(Map.of(atom.callback(), row(atom, 1, null)), 0);
    journal.add(new Fact.Arrived(atom, 1, List.of(1), -1, null));
    restart(open);
    journal.add(new Fact.Answered(atom, 1, 204));
    journal.add(new Fact.Arrived(atom, 1, List.of(1), -1, null));
    restart(open);
    journal.add(new Fact.Answered(atom, 1, 204));
    take(atom, 1, 1);
    assertThat(broken()).isEmpty();

    take(atom, 1, 1);
    assertThat(broken()).contains(Rule.DUPLICATES);
  }

  @Test
  void an_entry_that_did_not_come_is_lost() {
    subscribe(atom, other);
    publish(TOPIC, 1);
    take(atom, 1, 1);

    assertThat(broken()).containsExactly(Rule.LOST);
  }

  @Test
  void an_entry_that_was_not_taken_is_lost() {
    subscribe(atom);
    publish(TOPIC, 1);
    arrive(atom, 1, 0, 500, 1);

    assertThat(broken()).containsExactly(Rule.LOST);
  }

  @Test
  void a_notification_before_the_event_of_the_entry_is_not_enough() {
    subscribe(atom, light);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    take(atom, 1, 1);
    take(light, 1);
    take(atom, 2, 2);

    assertThat(broken()).containsExactly(Rule.LOST);
  }

  @Test
  void what_was_put_before_the_subscription_is_not_owed() {
    publish(TOPIC, 1);
    subscribe(atom);

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_publish_that_was_not_answered_is_not_owed() {
    subscribe(atom);
    journal.add(new Fact.Put(TOPIC, 1));

    assertThat(broken()).isEmpty();
  }

  @Test
  void one_that_left_is_owed_nothing_but_what_is_before_its_last() {
    subscribe(atom, other);
    for (int entry = 1; entry <= 3; entry++) {
      publish(TOPIC, entry);
    }
    take(atom, 1, 1);
    arrive(atom, 2, 0, 410, 2);
    take(other, 1, 1);
    take(other, 3, 3);
    journal.add(new Fact.Wanted(other, Wish.UNSUBSCRIBE, 0));

    List<Fault> faults = Judge.judge(journal.lines()).faults();

    assertThat(faults).hasSize(1);
    assertThat(faults.get(0).what()).contains("other").contains("a-2");
  }

  @Test
  void what_nobody_published_is_a_phantom() {
    subscribe(atom);
    take(atom, 1, 1);

    assertThat(broken()).containsExactly(Rule.PHANTOM);
  }

  @Test
  void a_delivery_to_one_that_never_confirmed_is_a_phantom() {
    publish(TOPIC, 1);
    take(atom, 1, 1);

    assertThat(broken()).contains(Rule.PHANTOM);
  }

  @Test
  void a_delivery_to_one_that_had_ended_before_a_restart_is_a_phantom() {
    subscribe(atom);
    journal.add(new Fact.Wanted(atom, Wish.UNSUBSCRIBE, 0));
    journal.add(new Fact.Gone(atom));
    publish(TOPIC, 1);
    restart(Snapshot.NOTHING);
    take(atom, 1, 1);

    assertThat(broken()).containsExactly(Rule.PHANTOM);
  }

  @Test
  void one_event_for_two_topics_is_a_crossing() {
    Follower elsewhere = follower("elsewhere", OTHER, Kind.ATOM, null);
    subscribe(atom, elsewhere);
    publish(TOPIC, 1);
    publish(OTHER, 1);
    take(atom, 1, 1);
    take(elsewhere, 1, 1);

    assertThat(broken()).containsExactly(Rule.CROSSING);
  }

  @Test
  void an_event_after_a_newer_one_is_out_of_order() {
    subscribe(atom);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    take(atom, 2, 2);
    take(atom, 1, 1);

    assertThat(broken()).containsExactly(Rule.ORDER);
  }

  @Test
  void an_entry_again_under_another_id_is_out_of_order() {
    subscribe(atom);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    take(atom, 1, 1);
    take(atom, 2, 1, 2);

    assertThat(broken()).containsExactly(Rule.ORDER);
  }

  @Test
  void entries_that_do_not_ascend_event_by_event_are_out_of_order() {
    subscribe(atom);
    for (int entry = 1; entry <= 3; entry++) {
      publish(TOPIC, entry);
    }
    take(atom, 3, 3, 1, 2);

    assertThat(broken()).containsExactly(Rule.ORDER);
  }

  @Test
  void L12_a_retry_with_another_document_is_seen() {
    subscribe(atom);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    arrive(atom, 2, 0, 500, 1);
    take(atom, 2, 2, 1);

    assertThat(broken()).containsExactly(Rule.DOCUMENT);
  }

  @Test
  void L7_the_old_secret_is_right_until_the_new_one_is_used_and_not_after_it() {
    subscribe(atom);
    for (int entry = 1; entry <= 4; entry++) {
      publish(TOPIC, entry);
    }
    arrive(atom, 1, 0, 204, 1);
    renew(atom, 1);
    arrive(atom, 2, 0, 204, 2);
    arrive(atom, 3, 1, 204, 3);
    assertThat(broken()).doesNotContain(Rule.SIGNATURE);

    arrive(atom, 4, 0, 204, 4);

    assertThat(broken()).containsExactly(Rule.SIGNATURE);
  }

  @Test
  void L7_after_a_restart_the_stored_secret_alone_is_right() {
    subscribe(atom);
    publish(TOPIC, 1);
    renew(atom, 1);
    restart(Snapshot.NOTHING);
    arrive(atom, 1, 0, 204, 1);

    assertThat(broken()).contains(Rule.SIGNATURE);
  }

  @Test
  void L16_past_the_checkpoint_a_delivery_may_come_twice_and_below_it_not() {
    subscribe(atom, other);
    publish(TOPIC, 1);
    take(atom, 1, 1);
    take(other, 1, 1);
    restart(
        left(
            Map.of(atom.callback(), row(atom, 1, null), other.callback(), row(other, 2, null)), 1));
    take(other, 1, 1);
    assertThat(broken()).isEmpty();

    take(atom, 1, 1);

    assertThat(broken()).containsExactly(Rule.DUPLICATES);
  }

  @Test
  void L16_an_owner_that_lost_its_database_twice_may_repeat_a_delivery_twice_and_not_more() {
    subscribe(atom);
    publish(TOPIC, 1);
    take(atom, 1, 1);
    Snapshot open = left(Map.of(atom.callback(), row(atom, 1, null)), 0);
    for (int crash = 0; crash < 3; crash++) {
      journal.add(new Fact.Ended(life, Kill.RANDOM, open, true));
      journal.add(new Fact.Launched(++life));
    }
    take(atom, 1, 1);
    take(atom, 1, 1);
    assertThat(broken()).isEmpty();

    take(atom, 1, 1);

    assertThat(broken()).contains(Rule.DUPLICATES);
  }

  @Test
  void L16_a_process_that_was_killed_twice_may_have_a_delivery_repeated_once() {
    subscribe(atom);
    publish(TOPIC, 1);
    take(atom, 1, 1);
    Snapshot open = left(Map.of(atom.callback(), row(atom, 1, null)), 0);
    restart(open);
    restart(open);
    take(atom, 1, 1);
    assertThat(broken()).isEmpty();

    take(atom, 1, 1);

    assertThat(broken()).contains(Rule.DUPLICATES);
  }

  @Test
  void a_delivery_that_comes_twice_without_a_kill_is_seen() {
    subscribe(atom);
    publish(TOPIC, 1);
    take(atom, 1, 1);
    take(atom, 1, 1);

    assertThat(broken()).containsExactly(Rule.DUPLICATES);
  }

  @Test
  void a_subscription_that_a_restart_lost_is_seen() {
    subscribe(atom, other);
    restart(left(Map.of(atom.callback(), row(atom, 1, null)), -1));

    assertThat(broken()).containsExactly(Rule.LEASE);
  }

  @Test
  void a_lease_that_changed_by_itself_is_seen() {
    subscribe(atom);
    Subscribed row = row(atom, 1, null);
    restart(left(Map.of(atom.callback(), row), -1));
    Subscribed later =
        new Subscribed(
            row.id(), row.topic(), row.host(), row.terms(), row.leaseEndsAt() + 1, row.lag());
    restart(left(Map.of(atom.callback(), later), -1));

    assertThat(broken()).containsExactly(Rule.LEASE);
  }

  @Test
  void a_laggard_that_is_tried_before_its_time_is_seen() {
    subscribe(atom);
    publish(TOPIC, 1);
    arrive(atom, 1, 0, 500, 1);
    Lag lag = new Lag(0, 1, 1, Long.MAX_VALUE, false);
    restart(left(Map.of(atom.callback(), row(atom, 1, lag)), -1));
    take(atom, 1, 1);

    assertThat(broken()).containsExactly(Rule.RETRY);
  }

  @Test
  void L12_a_laggard_that_is_tried_with_another_event_after_a_restart_is_seen() {
    subscribe(atom);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    arrive(atom, 1, 0, 500, 1);
    Lag lag = new Lag(0, 1, 1, 1, false);
    restart(left(Map.of(atom.callback(), row(atom, 1, lag)), -1));
    take(atom, 2, 2, 1);

    assertThat(broken()).contains(Rule.RETRY);
  }

  @Test
  void calls_at_a_start_that_were_not_due_are_seen() {
    subscribe(atom);
    restart(left(Map.of(atom.callback(), row(atom, 1, null)), -1));
    journal.add(new Fact.Called(life, 0, 0, 0));
    assertThat(broken()).isEmpty();

    journal.add(new Fact.Called(life, 1, 0, 0));

    assertThat(broken()).containsExactly(Rule.BURST);
  }

  @Test
  void deliveries_at_a_start_that_were_not_due_are_seen() {
    subscribe(atom);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    take(atom, 1, 1);
    restart(left(Map.of(atom.callback(), row(atom, 1, null)), -1));
    take(atom, 2, 2);
    journal.add(new Fact.Called(life, 0, 0, 0));

    assertThat(broken()).containsExactly(Rule.BURST);
  }

  @Test
  void a_damaged_database_is_seen() {
    restart(new Snapshot(false, Map.of(), Map.of(), List.of()));

    assertThat(broken()).containsExactly(Rule.CORRUPT);
  }
}
