package io.feedbridge.gateway.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.crash.Fact.Fault;
import io.feedbridge.gateway.crash.Fact.Wish;
import io.feedbridge.gateway.crash.Follower.Kind;
import io.feedbridge.gateway.crash.Follower.Temper;
import io.feedbridge.gateway.crash.Snapshot.Lag;
import io.feedbridge.gateway.crash.Snapshot.Subscribed;
import io.feedbridge.gateway.testing.SetClock;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules of windows, digests, parts and pings that are passed on, each kept and broken. */
class JudgeOfWishesTest {

  private static final SinkHost.Place HOST = new SinkHost.Place("127.0.0.2", 1);
  private static final Topic TOPIC = new Topic("a", Topic.Way.HUB_PING, "http://origin/a.xml");
  private static final Topic PART = new Topic("h", Topic.Way.PAGE, "http://origin/h.html#.news");

  private final SetClock clock = new SetClock();
  private final Journal journal = new Journal(clock);
  private final Follower seldom = follower("seldom", TOPIC, Kind.SELDOM);
  private final Follower digest = follower("digest", TOPIC, Kind.DIGEST);

  private static Follower follower(String path, Topic topic, Kind kind) {
    return new Follower(path, topic, kind, Temper.WELL, HOST, null);
  }

  private void subscribe(Follower follower) {
    journal.add(new Fact.Wanted(follower, Wish.SUBSCRIBE, 0));
    journal.add(new Fact.Confirmed(follower, Wish.SUBSCRIBE));
    journal.add(new Fact.Applied(follower, 0));
  }

  private void publish(Topic topic, int entry) {
    journal.add(new Fact.Put(topic, entry));
    journal.add(new Fact.Promised(topic, entry));
  }

  private void take(Follower follower, long event, Integer... entries) {
    journal.add(new Fact.Arrived(follower, event, List.of(entries), -1, null));
    journal.add(new Fact.Answered(follower, event, 204));
  }

  private void takeDigest(long dueAt, Integer... entries) {
    Fact.Arrived arrived = new Fact.Arrived(digest, 0, List.of(entries), -1, null);
    journal.add(new Fact.Digested(arrived, dueAt));
    journal.add(new Fact.DigestTaken(digest, dueAt));
  }

  private List<Rule> broken() {
    return Judge.judge(journal.lines()).faults().stream().map(Fault::rule).distinct().toList();
  }

  @Test
  void a_document_within_the_window_is_seen() {
    subscribe(seldom);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    publish(TOPIC, 3);
    take(seldom, 1, 1);
    clock.set(Follower.WINDOW);
    take(seldom, 2, 2);
    assertThat(broken()).containsExactly(Rule.LOST);

    take(seldom, 3, 3);

    assertThat(broken()).containsExactly(Rule.WINDOW);
  }

  @Test
  void what_a_full_document_cannot_hold_may_follow_at_once() {
    subscribe(seldom);
    for (int entry = 1; entry <= 101; entry++) {
      publish(TOPIC, entry);
    }
    take(seldom, 100, IntStream.rangeClosed(1, 100).boxed().toArray(Integer[]::new));
    take(seldom, 101, 101);

    assertThat(broken()).isEmpty();
  }

  @Test
  void a_document_within_the_rest_that_a_life_has_left_is_seen() {
    subscribe(seldom);
    publish(TOPIC, 1);
    publish(TOPIC, 2);
    take(seldom, 1, 1);
    long until = clock.millis() + 5_000;
    Subscribed row =
        new Subscribed(
            1,
            TOPIC.url(),
            HOST.url(),
            "terms",
            clock.millis() + seldom.lease().toMillis(),
            new Lag(1, 0, 0, 0, false, until));
    journal.add(
        new Fact.Ended(
            0,
            Kill.RANDOM,
            new Snapshot(true, Map.of(seldom.callback(), row), Map.of(), List.of())));
    journal.add(new Fact.Launched(1));
    take(seldom, 2, 2);

    assertThat(broken()).containsExactly(Rule.WINDOW);
  }

  @Test
  void a_digest_comes_once_for_each_time_that_it_is_due() {
    subscribe(digest);
    publish(TOPIC, 1);
    take(digest, 1, 1);
    journal.add(new Fact.DigestsDue(100));
    assertThat(broken()).containsExactly(Rule.LOST);
    takeDigest(100, 1, 0);
    assertThat(broken()).isEmpty();
    // A life that was killed had not heard that it was taken.
    journal.add(new Fact.Launched(1));
    takeDigest(100, 1, 0);
    assertThat(broken()).isEmpty();

    takeDigest(100, 1, 0);

    assertThat(broken()).containsExactly(Rule.DUPLICATES);
  }

  @Test
  void a_digest_that_was_not_due_or_is_not_of_the_newest_entries_is_seen() {
    subscribe(digest);
    publish(TOPIC, 1);
    take(digest, 1, 1);
    takeDigest(100, 1, 0);
    assertThat(broken()).containsExactly(Rule.PHANTOM);
    journal.add(new Fact.DigestsDue(200));

    takeDigest(200, 0, 1);

    assertThat(broken()).containsExactly(Rule.PHANTOM, Rule.DOCUMENT);
  }

  @Test
  void of_a_part_the_newest_state_is_owed() {
    Follower raw = follower("raw", PART, Kind.RAW);
    Follower light = follower("light", PART, Kind.LIGHT);
    Follower webhook = follower("webhook", PART, Kind.WEBHOOK);
    subscribe(raw);
    subscribe(light);
    subscribe(webhook);
    publish(PART, 1);
    publish(PART, 2);
    take(raw, 1, 2);
    take(webhook, 1, 2);
    take(light, 1);
    assertThat(broken()).isEmpty();

    publish(PART, 3);
    take(raw, 2, 3);
    take(webhook, 2, 3);

    assertThat(broken()).containsExactly(Rule.LOST);
  }

  @Test
  void the_messages_of_a_document_come_in_order_and_are_repeated_as_they_were() {
    Follower room = follower("!room", TOPIC, Kind.ROOM_WEBHOOK);
    subscribe(room);
    for (int entry = 1; entry <= 3; entry++) {
      publish(TOPIC, entry);
    }
    take(room, 3, 1, 2);
    assertThat(broken()).containsExactly(Rule.LOST);
    takePart(room, 3, 2, 3);
    assertThat(broken()).isEmpty();

    takePart(room, 3, 2, 2);
    assertThat(broken()).containsExactly(Rule.DOCUMENT);

    takePart(room, 2, 2, 3);
    assertThat(broken()).containsExactly(Rule.DOCUMENT, Rule.ORDER);
  }

  private void takePart(Follower follower, long event, int part, int... entries) {
    List<Integer> list = IntStream.of(entries).boxed().toList();
    journal.add(new Fact.Continued(new Fact.Arrived(follower, event, list, 0, null), part));
  }

  @Test
  void a_server_is_told_after_each_entry_and_of_its_topic_alone() {
    journal.add(new Fact.RelayWanted(TOPIC));
    publish(TOPIC, 1);
    journal.add(new Fact.Relayed(TOPIC.url(), true));
    assertThat(broken()).isEmpty();
    publish(TOPIC, 2);
    journal.add(new Fact.Relayed(TOPIC.url(), false));
    assertThat(broken()).containsExactly(Rule.LOST);

    journal.add(new Fact.Relayed(PART.url(), true));

    assertThat(broken()).containsExactly(Rule.PHANTOM);
  }
}
