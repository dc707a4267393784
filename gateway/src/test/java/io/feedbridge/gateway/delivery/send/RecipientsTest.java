package io.feedbridge.gateway.delivery.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.feedbridge.gateway.delivery.Bed;
import io.feedbridge.gateway.store.subscriptions.Format;
import io.feedbridge.gateway.store.subscriptions.Subscription;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Subscribers that are kept in memory, and are never older than the store (rule L7). */
class RecipientsTest {

  @TempDir private Path folder;
  private Bed bed;
  private Recipients recipients;
  private long feed;

  /** The ids that were read from the store, call by call. */
  private final List<List<Long>> read = new ArrayList<>();

  @BeforeEach
  void start() {
    bed = new Bed(folder.resolve("data"));
    feed = bed.feed(Bed.TOPIC);
    bed.hooks.on(
        "Subscriptions.byIds",
        (arguments, call) -> {
          Collection<?> ids = (Collection<?>) arguments[0];
          read.add(ids.stream().map(Long.class::cast).toList());
          return call.run();
        });
    recipients = new Recipients(bed.hooks.store(), Runnable::run);
    recipients.start();
  }

  @AfterEach
  void stop() {
    bed.close();
  }

  private List<String> secrets(List<Long> ids) {
    return recipients.of(ids).stream()
        .map(recipient -> recipient.subscription.terms().secret())
        .toList();
  }

  private long subscribe(String path, String secret) {
    return bed.subscribe(feed, bed.subscriber.url(path), Bed.terms(Format.ATOM, secret));
  }

  @Test
  void one_is_read_once_and_they_come_in_the_order_asked_for() {
    long one = subscribe("one", "first");
    long two = subscribe("two", "second");
    long three = subscribe("three", "third");

    assertThat(secrets(List.of(one, three))).containsExactly("first", "third");
    assertThat(secrets(List.of(one, two, three))).containsExactly("first", "second", "third");

    assertThat(read).containsExactly(List.of(one, three), List.of(two));
  }

  @Test
  void L7_one_that_is_renewed_is_read_again_and_it_alone() {
    long one = subscribe("one", "first");
    long two = subscribe("two", "second");
    long before = recipients.asOfNow();
    List<Recipient> old = recipients.of(List.of(one, two));
    read.clear();

    subscribe("one", "renewed");

    assertThat(recipients.isCurrent(old.get(0), before)).isFalse();
    assertThat(recipients.isCurrent(old.get(1), before)).isTrue();
    assertThat(secrets(List.of(one, two))).containsExactly("renewed", "second");
    assertThat(read).containsExactly(List.of(one));
  }

  @Test
  void L7_one_that_has_ended_is_nobodys_recipient() {
    long one = subscribe("one", "first");
    long two = subscribe("two", "second");
    recipients.of(List.of(one, two));

    Bed.done(bed.store.subscriptions().end(one, "gone", Bed.START));

    assertThat(secrets(List.of(one, two))).containsExactly("second");
    assertThat(
            recipients.read(bed.store.subscriptions().byId(two).orElseThrow(), Optional::of).join())
        .isPresent();
  }

  @Test
  void L7_one_that_is_renewed_while_it_is_read_is_not_kept() {
    long one = subscribe("one", "first");
    bed.hooks.on(
        "Subscriptions.byIds",
        (arguments, call) -> {
          Object old = call.run();
          subscribe("one", "renewed");
          return old;
        });
    long before = recipients.asOfNow();

    Recipient old = recipients.of(List.of(one)).get(0);
    bed.hooks.off("Subscriptions.byIds");

    assertThat(recipients.isCurrent(old, before)).isFalse();
    assertThat(secrets(List.of(one))).containsExactly("renewed");
  }

  @Test
  void more_than_there_is_room_for_are_read_again() {
    String lengthy = "x".repeat(7_000);
    long first = subscribe(lengthy, "secret");
    Recipient one = recipients.of(List.of(first)).get(0);
    int count = (int) (3 * Recipients.MAX_KEPT_BYTES / 2 / one.bytes());
    bed.subscribeAll(
        feed,
        IntStream.range(0, count).mapToObj(i -> bed.subscriber.url(lengthy + i)).toList(),
        Bed.terms(Format.ATOM, "secret"));
    List<Long> ids =
        bed.store.subscriptions().ofFeed(feed, first, count).stream()
            .map(Subscription::id)
            .toList();

    recipients.of(ids);
    read.clear();

    assertThat(recipients.of(ids)).hasSize(count);
    assertThat(read).hasSize(1);
    assertThat(read.get(0)).hasSizeGreaterThan(count / 3);
  }
}
